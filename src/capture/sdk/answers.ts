import { type JsonObject, TerminalError } from "../../types/mod.ts";
import { answerTo } from "../front/answer.ts";

/** Faults that only these paths know; all others are answered as on the paths of events. */
const FAULTS: Record<string, number> = { invalid_token: 400, not_found: 404 };

/** A refusal is JSON in the shape of every other error, with `extra` fields that SDKs understand. */
export function refusal(status: number, code: string, detail: string, extra: JsonObject = {}): Response {
  return Response.json({ type: "invalid_request", code, detail, attr: null, ...extra }, { status });
}

/** The answer to a question that failed: 400 `invalid_token`, 404 `not_found`, else as on the paths of events. */
export function failed(error: unknown): Response {
  const status = error instanceof TerminalError ? FAULTS[error.code] : undefined;
  if (status === undefined) return answerTo(error);
  return refusal(status, (error as TerminalError).code, (error as TerminalError).message);
}
