import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import type { RequestLimit } from "./limit.ts";
import { type Failure, pauseMs } from "./pauses.ts";

export interface Request {
  url: string;
  headers: Record<string, string>;
  /** Sent as a form where it is given, with POST. */
  form?: Record<string, string>;
}

export interface Downloads {
  /** Of the product, for errors. */
  name: string;
  limit: RequestLimit;
  signal: AbortSignal;
  /** Told what is waited for, and null when that is over. */
  waiting?(reason: string | null): void;
}

/** An answer that ended early, or that says so. */
export class CutOff extends RetryableError {
  constructor(problem: string) {
    super("answer_cut_off", problem);
  }
}

/** The API refuses the request: it is wrong, and will be the next time. */
export class Refused extends TerminalError {
  constructor(
    readonly status: number,
    problem: string,
  ) {
    super("request_refused", problem);
  }
}

const TRIES = 8;
const IDLE_MS = 10 * 60_000;

/** Looks at the bytes of one answer, and knows at their end whether they are whole. */
export interface Ending {
  add(piece: Uint8Array): void;
  /** Throws CutOff. */
  check(): void;
}

/** A file that an answer is written to. */
export interface Target {
  path: string;
  /** Whether it is packed with gzip. */
  isPacked?: boolean;
  /** A new one for each try. */
  ending?(): Ending;
  /** Looks at the file as it was written. Throws CutOff. */
  check?(path: string): Promise<void>;
}

/**
 * Writes the body of an answer to a file; false where the answer is 404: there is nothing. Tries again, with pauses, after 408, 429, 5xx, broken
 * connections and answers that end early. Throws Refused, RetryableError after the last try.
 */
export function downloadTo(target: Target, request: Request, downloads: Downloads): Promise<boolean> {
  return withTries(downloads, async (heard) => {
    const response = await answerTo(request, downloads, heard);
    if (response.status === 404) return false;
    await writeBody(response, target, heard);
    return true;
  });
}

/** The JSON of an answer. Tries again as `downloadTo` does; 404 is refused too. */
export function askJson(request: Request, downloads: Downloads): Promise<unknown> {
  return withTries(downloads, async (heard) => {
    const response = await answerTo(request, downloads, heard);
    if (response.status === 404) throw new Refused(404, `${downloads.name} does not know ${request.url}.`);
    const text = await response.text();
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new CutOff("The answer is no JSON.");
    }
  });
}

/** Pauses that are told. */
const TOLD_MS = 2_000;

/** Rejects when the signal is aborted. */
async function paused(ms: number, reason: string, { signal, waiting }: Downloads): Promise<void> {
  const again = ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`;
  if (ms >= TOLD_MS) waiting?.(`${reason}; again in ${again}`);
  await sleep(ms, undefined, { signal });
  if (ms >= TOLD_MS) waiting?.(null);
}

/** The signal of one try, and what keeps it alive. */
interface Heard {
  signal: AbortSignal;
  something(): void;
}

async function withTries<T>(downloads: Downloads, ask: (heard: Heard) => Promise<T>): Promise<T> {
  const { signal, limit, name } = downloads;
  for (let tries = 1; ; tries++) {
    await limit.take((ms) => paused(ms, `${name} takes no more requests for now`, downloads));
    const idle = new AbortController();
    let timer = setTimeout(() => idle.abort(), IDLE_MS);
    const something = () => {
      clearTimeout(timer);
      timer = setTimeout(() => idle.abort(), IDLE_MS);
    };
    try {
      return await ask({ signal: AbortSignal.any([signal, idle.signal]), something });
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      if (tries === TRIES) throw new RetryableError("api_unreachable", `${name}: ${describeError(error)}`);
      const failure: Failure = error instanceof BadStatus ? error : { status: null, retryAfter: null };
      await paused(pauseMs(failure, tries, Date.now()), `${name}: ${describeError(error)}`, downloads);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Errors of the disk; the others with a code are of the network. */
const OF_THE_DISK = new Set(["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EIO", "ENOENT", "EMFILE"]);

/** Whether another try may help: not after a refusal, a full disk, or a mistake of the program. */
function mayPass(error: unknown): boolean {
  if (error instanceof TerminalError || error instanceof ReferenceError) return false;
  const { code } = error as { code?: unknown };
  // A broken connection is a TypeError too, but one with a code.
  return error instanceof TypeError ? code !== undefined : !OF_THE_DISK.has(String(code));
}

/** A status after which another try may help. */
class BadStatus extends Error implements Failure {
  constructor(
    readonly status: number,
    readonly retryAfter: string | null,
  ) {
    super(`it answers ${status}`);
  }
}

async function answerTo(request: Request, { name }: Downloads, { signal }: Heard): Promise<Response> {
  const { form } = request;
  const response = await fetch(request.url, {
    method: form === undefined ? "GET" : "POST",
    headers: request.headers,
    body: form === undefined ? null : new URLSearchParams(form),
    signal,
  });
  const { status } = response;
  if (response.ok || status === 404) return response;
  const text = (await response.text().catch(() => "")).slice(0, 300);
  if (status === 408 || status === 429 || status >= 500) {
    throw new BadStatus(status, response.headers.get("retry-after"));
  }
  if (status === 401 || status === 403) throw new Refused(status, `${name} refuses the key (${status}). ${text}`);
  throw new Refused(status, `${name} answers ${status}. ${text}`);
}

async function writeBody(response: Response, target: Target, heard: Heard): Promise<void> {
  const whole = target.ending?.();
  let bytes = 0;
  const pieces = async function* () {
    for await (const piece of response.body ?? []) {
      heard.something();
      bytes += piece.length;
      whole?.add(piece);
      yield piece;
    }
  };
  const file = createWriteStream(target.path);
  if (target.isPacked === true) await pipeline(pieces, createGzip(), file);
  else await pipeline(pieces, file);
  const length = response.headers.get("content-length");
  const isUnpacked = response.headers.get("content-encoding") !== null;
  if (length !== null && !isUnpacked && Number(length) !== bytes) {
    throw new CutOff(`The answer ended after ${bytes} of ${length} bytes.`);
  }
  whole?.check();
  await target.check?.(target.path);
}
