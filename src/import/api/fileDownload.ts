import { createHash } from "node:crypto";
import { open, rm, stat } from "node:fs/promises";
import { describeError, type JsonObject, pause, RetryableError, TerminalError } from "../../types/mod.ts";
import { type Api, ApiRefused } from "./client.ts";

/** What a download is of. Times are of acceptance there, ISO 8601; the end is not part of it. `from` null: from the beginning. */
export interface DownloadWish {
  model: "events" | "persons";
  from: string | null;
  to: string;
  format: "Parquet" | "JSONLines";
  compression: string | null;
  maxSizeMb: number | null;
}

/** A file that was brought. */
export interface Brought {
  bytes: number;
  /** Of its content, hexadecimal. */
  sha256: string;
}

const ROUTE = "file_download_batch_exports/";
const POLL_MAX_MS = 10_000;
/** A file of which nothing comes for so long is asked for again. */
const IDLE_MS = 60_000;
const TRIES = 6;

/** The files of one download, made ready by the API. */
export interface Download {
  id: string;
  parts: number;
}

/** Ends after which another run may do better. */
const MAY_PASS: ReadonlySet<unknown> = new Set(["FailedRetryable", "TimedOut", "Terminated"]);
const RUNS = 3;

/** Asks for a download and waits until it is ready. Throws TerminalError `download_failed` where it fails there. */
export async function startDownload(api: Api, wish: DownloadWish, signal: AbortSignal): Promise<Download> {
  for (let run = 1; ; run++) {
    const { id, status, files, error } = await endedRun(api, wish, signal);
    if (status === "Completed") return { id, parts: Array.isArray(files) ? files.length : 0 };
    if (run < RUNS && MAY_PASS.has(status)) continue;
    const reason = typeof error === "string" ? error : "no reason is told";
    throw new TerminalError(
      "download_failed",
      `The download of ${wish.model} from ${wish.from ?? "the beginning"} is ${status}: ${reason}`,
    );
  }
}

async function endedRun(api: Api, wish: DownloadWish, signal: AbortSignal): Promise<JsonObject & { id: string }> {
  const file: JsonObject = { format: wish.format, compression: wish.compression, max_size_mb: wish.maxSizeMb };
  const body = { model: wish.model, file, data_interval_start: wish.from, data_interval_end: wish.to };
  const made = await api.send("POST", ROUTE, body, { isHarmless: true });
  const id = String(made.id);
  for (let { pauseMs } = api; ; pauseMs = Math.min(POLL_MAX_MS, pauseMs * 2)) {
    signal.throwIfAborted();
    const state = await api.object(`${ROUTE}${id}/`);
    if (state.status !== "Starting" && state.status !== "Running") return { ...state, id };
    await pause(pauseMs, signal);
  }
}

interface Bringing<T> {
  path: string;
  /** Reads what was written; throws TerminalError where it is not whole. */
  check(path: string): Promise<T>;
  signal: AbortSignal;
}

/** Brings one part, counted from 0, into a file of this machine. An answer that was cut off is asked for again. */
export async function bringPart<T>(
  api: Api,
  { id }: Download,
  part: number,
  { path, check, signal }: Bringing<T>,
): Promise<Brought & { checked: T }> {
  for (let tried = 1; ; tried++) {
    try {
      const brought = await written(await answerOf(api, `${ROUTE}${id}/download/${part}/`, signal), path, signal);
      return { ...brought, checked: await check(path) };
    } catch (error) {
      signal.throwIfAborted();
      await rm(path, { force: true });
      if (error instanceof ApiRefused || !(error instanceof CutOff || error instanceof TerminalError)) throw error;
      if (tried === TRIES) throw new RetryableError("unreachable", `Part ${part} of download ${id}: ${error.message}`);
      await pause(api.pauseMs * 2 ** tried, signal);
    }
  }
}

class CutOff extends Error {}

/** The file itself, or where it is: there the key is not shown. */
async function answerOf(api: Api, path: string, signal: AbortSignal): Promise<Response> {
  const response = await api.file(path, signal);
  if (response.status < 300 || response.status >= 400) return response;
  await response.body?.cancel();
  const place = response.headers.get("location");
  if (place === null) throw new TerminalError("api_unknown", `${path} leads nowhere`);
  const found = await fetch(new URL(place, response.url), { signal }).catch((error) => {
    throw new CutOff(describeError(error));
  });
  if (found.ok) return found;
  const text = (await found.text()).slice(0, 300);
  // A link that has expired is another one in the next answer.
  if (found.status >= 500 || found.status === 403) throw new CutOff(`${found.status} ${text}`);
  throw new TerminalError("download_failed", `${path}: ${found.status} ${text}`);
}

async function written(response: Response, path: string, signal: AbortSignal): Promise<Brought> {
  const expected = Number(response.headers.get("content-length") ?? Number.NaN);
  const isPacked = response.headers.get("content-encoding") !== null;
  const hash = createHash("sha256");
  const file = await open(path, "w", 0o600);
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await idle(reader.read(), signal);
      if (done) break;
      hash.update(value);
      await file.write(value);
    }
    await file.sync();
  } finally {
    await reader.cancel().catch(() => {});
    await file.close();
  }
  const { size } = await stat(path);
  if (!isPacked && Number.isFinite(expected) && size !== expected) {
    throw new CutOff(`${size} of ${expected} bytes came`);
  }
  return { bytes: size, sha256: hash.digest("hex") };
}

/** What is read, unless nothing comes for too long. */
async function idle<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new CutOff(`nothing came for ${IDLE_MS / 1000} s`)), IDLE_MS);
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([
      reading.catch((error) => {
        throw new CutOff(describeError(error));
      }),
      promise,
    ]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
