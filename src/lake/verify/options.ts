import { RetryableError } from "../../types/mod.ts";
import type { Catalog } from "../catalog/mod.ts";
import { Engine, type Scanner } from "../engine/mod.ts";
import { type SegmentStore, spillDirectory } from "../storage/mod.ts";

export interface VerifyOptions {
  catalog: Catalog;
  storage: SegmentStore;
  memoryLimitBytes: number;
  /** Ends the check before its end: it throws the reason, and holds no files any more. */
  signal?: AbortSignal;
  /** A check that was killed holds files for so long. */
  holdMs?: number;
}

/** The pin is renewed while the check runs. */
const HOLD_FILES_MS = 300_000;
const SPILL_LIMIT_BYTES = 8 * 1024 ** 3;

/** Lends an engine for as long as `body` takes. */
export async function withReader<T>(options: VerifyOptions, body: (reader: Scanner) => Promise<T>): Promise<T> {
  const engine = new Engine({
    // Ingestion and queries go on beside it.
    threads: 1,
    memoryLimitBytes: options.memoryLimitBytes,
    tempDirectory: spillDirectory(options.storage.workDirectory),
    tempLimitBytes: SPILL_LIMIT_BYTES,
  });
  try {
    return await body(engine);
  } finally {
    await engine.close();
  }
}

/**
 * Files that are live when `body` begins, or later, stay until it ends; it should end when its signal is aborted. Throws
 * RetryableError `files_not_held` when they may have gone.
 */
export async function holdingFiles<T>(
  {
    catalog,
    signal,
    holdMs = HOLD_FILES_MS,
  }: { catalog: Pick<Catalog, "holdFiles" | "renewPin" | "unpin"> } & Pick<VerifyOptions, "signal" | "holdMs">,
  body: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const over = AbortSignal.any(signal === undefined ? [lost.signal] : [lost.signal, signal]);
  over.throwIfAborted();
  const pinId = await catalog.holdFiles(holdMs);
  const renew = async () => {
    if (await catalog.renewPin(pinId, holdMs)) return;
    lost.abort(new RetryableError("files_not_held", "files may have gone while they were read: check again"));
  };
  // One that fails is tried again before the pin expires.
  const renewal = setInterval(() => void renew().catch(() => {}), holdMs / 5);
  try {
    const ended = Promise.withResolvers<never>();
    over.addEventListener("abort", () => ended.reject(over.reason));
    return await Promise.race([body(over), ended.promise]);
  } finally {
    clearInterval(renewal);
    await catalog.unpin(pinId);
  }
}
