import type { Catalog, LiveSegment } from "../catalog/mod.ts";

/** A process that is silent for this long has lost its jobs, and the housekeeping. */
export const LEASE_TTL_MS = 30_000;
export const RENEW_MS = LEASE_TTL_MS / 3;

interface Claim {
  catalog: Pick<Catalog, "claimJob" | "renewJob" | "endJob">;
  /** Names this process. */
  holder: string;
  kind: string;
  inputs: readonly LiveSegment[];
  beside: readonly LiveSegment[];
}

/** Claims the files of a job for as long as `body` works with them; null when another job has one of them, or it has gone. */
export async function duringJob<T>(
  { catalog, holder, kind, inputs, beside }: Claim,
  body: (jobId: string) => Promise<T>,
): Promise<T | null> {
  const idsOf = (files: readonly LiveSegment[]) => [...new Set(files.map(({ id }) => id))];
  const claim = { holder, kind, inputs: idsOf(inputs), beside: idsOf(beside), ttlMs: LEASE_TTL_MS };
  const jobId = await catalog.claimJob(claim);
  if (jobId === null) return null;
  // A claim that cannot be renewed runs out; the swap of the job is refused then.
  const renewal = setInterval(() => void catalog.renewJob(jobId, LEASE_TTL_MS).catch(() => {}), RENEW_MS);
  try {
    return await body(jobId);
  } finally {
    clearInterval(renewal);
    await catalog.endJob(jobId);
  }
}
