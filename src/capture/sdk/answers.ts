import { type JsonObject, TerminalError } from "../../types/mod.ts";
import { answerTo } from "../front/answer.ts";
import type { SdkRoute } from "./route.ts";

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

/** What Weir does not take: the paths, what is sent there, and the name by which posthog-js knows that traffic. */
const REFUSED: { paths: string[]; what: string; batchKey: string | null }[] = [
  { paths: ["/s"], what: "session recordings", batchKey: "recordings" },
  { paths: ["/i/v1/logs"], what: "logs", batchKey: "logs" },
  { paths: ["/i/v1/metrics"], what: "metrics", batchKey: "metrics" },
  { paths: ["/i/v1/traces"], what: "traces", batchKey: null },
  {
    paths: ["/i/v0/ai", "/i/v0/ai/batch", "/i/v0/ai/otel", "/i/v1/ai/events"],
    what: "AI events on a path of their own (without `enableFullAiCapture` they come as ordinary events and are stored)",
    batchKey: null,
  },
];

/**
 * A refusal is an error, never hidden behind a 200, and is the end of the matter for the SDK: a 404 is not tried again on
 * these paths, and on `quota_limited` posthog-js sends no more of that kind for a minute.
 */
export const REFUSALS: SdkRoute[] = REFUSED.map(({ paths, what, batchKey }) => ({
  method: "POST",
  paths: paths.flatMap((path) => [path, `${path}/`]),
  answer: () =>
    refusal(404, "not_supported", `Weir does not take ${what}: nothing was stored`, {
      ...(batchKey === null ? {} : { quota_limited: [batchKey] }),
    }),
}));
