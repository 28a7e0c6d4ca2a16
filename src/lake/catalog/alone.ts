import type { RetryableError } from "../../types/mod.ts";
import type { Catalog } from "./catalog.ts";

const LEASE_MS = 60_000;

export interface AloneOptions {
  catalog: Pick<Catalog, "holdLease" | "releaseLease">;
  /** Of the lease. */
  name: string;
  /** Thrown where another process has the lease. */
  busy: RetryableError;
  signal: AbortSignal;
}

/** A lease in the hands of this process. */
export interface HeldLease {
  /** Aborted when the lease is lost, and by the signal of the options. */
  signal: AbortSignal;
  /** Throws `busy` where the lease is lost. */
  renew(): Promise<void>;
}

/**
 * Runs `body` while no other process runs one under the same lease. A process that is killed holds the lease for a minute more. Throws
 * `busy` where another process has the lease at the start, or has it at the end because this one stood still.
 */
export async function alone<T>(
  { catalog, name, busy, signal }: AloneOptions,
  body: (held: HeldLease) => Promise<T>,
): Promise<T> {
  const holder = crypto.randomUUID();
  const renew = async () => {
    if (!(await catalog.holdLease(name, holder, LEASE_MS))) throw busy;
  };
  await renew();
  const lost = new AbortController();
  // A renewal that fails otherwise is tried again before the lease ends.
  const renewal = setInterval(() => renew().catch((error) => error === busy && lost.abort(busy)), LEASE_MS / 4);
  try {
    const result = await body({ signal: AbortSignal.any([lost.signal, signal]), renew });
    await renew();
    return result;
  } finally {
    clearInterval(renewal);
    await catalog.releaseLease(name, holder);
  }
}
