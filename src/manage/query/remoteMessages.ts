import { HogqlError } from "../../query/mod.ts";
import { describeError, RetryableError, TerminalError, WeirError } from "../../types/mod.ts";

/** Of the processes that calculate for others. */
export const REMOTE_SERVICE = "queries";

/** Load: questions of a project for each process of DuckDB. This one is full: for each one runs, and one waits behind it. */
export const FULL_LOAD = 2;

/** A question that another process is to calculate. */
export interface RemoteAsk {
  teamId: number;
  /** See `writtenQuestion`. */
  question: string;
  /** The time that it is asked at. */
  nowMs: number;
  /** By this differs what is another question by the records or the program of the other process. */
  cacheKey: string;
  timeoutMs: number;
  /** It is to be taken only while the load of its project is below that. */
  below: number;
}

/** What the other process says in the end. */
export type RemoteOutcome = RemoteResult | { failure: Failure };

export interface RemoteResult {
  /** As it is sent; null where it is too long for a message: then it lies in the store. */
  text: string | null;
  /** When the calculation began. */
  computedAtMs: number;
}

interface Failure {
  /** `defect`: nothing that the service knows. */
  kind: "terminal" | "retryable" | "defect";
  code: string;
  message: string;
  /** Of HogQL that is refused. */
  start?: number | null;
  end?: number | null;
}

export function failureOf(error: unknown): Failure {
  const message = describeError(error);
  if (!(error instanceof WeirError)) return { kind: "defect", code: "", message };
  const place = error instanceof HogqlError ? { start: error.start, end: error.end } : {};
  return { kind: error.retryable ? "retryable" : "terminal", code: error.code, message, ...place };
}

/** The error as it would be thrown here; what a client is told of it is the same. */
export function errorOf({ kind, code, message, start, end }: Failure): Error {
  if (kind === "defect") return new Error(message);
  if (kind === "retryable") return new RetryableError(code, message);
  return start === undefined ? new TerminalError(code, message) : new HogqlError(message, start, end);
}
