import { describeError, RetryableError, TerminalError, WeirError } from "../types/mod.ts";

/** Answers after which the same request may be taken later: timeouts, too many requests, faults of the server. */
const isPassing = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

/** The failure that an answer means. `detail` is what the receiver says of it. */
export function refusal(receiver: string, status: number, detail: string): WeirError {
  const said = detail.trim().slice(0, 500);
  const sentence = `${receiver} answered ${status}${said === "" ? "" : `: ${said}`}`;
  return isPassing(status)
    ? new RetryableError("destination_unavailable", sentence)
    : new TerminalError("destination_refused", sentence);
}

/** A connection that fails may come back. Typed errors stay what they are. */
export function connectionProblem(receiver: string, error: unknown): unknown {
  if (error instanceof WeirError) return error;
  return new RetryableError("destination_unavailable", `${receiver} cannot be reached: ${describeError(error)}`, {
    cause: error,
  });
}

/** What is read of an answer: enough for its reason. */
const ANSWER_MAX_BYTES = 64 * 1024;

/** The beginning of an answer's text; the rest of a longer one is not taken. */
export async function answerText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the stream.
  for await (const piece of body) {
    pieces.push(piece.subarray(0, ANSWER_MAX_BYTES - bytes));
    bytes += piece.length;
    if (bytes >= ANSWER_MAX_BYTES) break;
  }
  return Buffer.concat(pieces).toString();
}

/** Milliseconds that `Retry-After` asks for, at most `longestMs`; null where it asks for nothing. */
export function pauseAskedFor(response: Response, longestMs: number): number | null {
  const text = response.headers.get("retry-after");
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestMs);
}
