import { isIllegalForPersons } from "../../properties/mod.ts";
import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import { readBody } from "../body.ts";
import type { Reservation } from "../byteBudget.ts";
import { decodePayload } from "../decode.ts";
import type { Front } from "../front.ts";
import { Members } from "../outline.ts";
import { outline } from "../scan.ts";
import type { Sorted } from "../sort.ts";
import { type BatchV1, parseBatch } from "./batch.ts";
import { failureV1 } from "./errors.ts";
import { type HeadersV1, readHeaders } from "./headers.ts";

type Result = { result: "ok" } | { result: "warning" | "drop" | "retry"; details: string };
type Results = Record<string, Result>;

const RETRY_AFTER_S = "1";

/** POST /i/v1/analytics/events: as the other paths, but each event has its own result. Never rejects. */
export async function receiveV1(front: Front, request: Request, ip: string | null): Promise<Response> {
  const reservation = front.budget.reserve();
  try {
    front.checkAdmission();
    const headers = readHeaders(request.headers);
    const body = await readPayload(front, request, reservation);
    const batch = parseBatch(body, front.deps.config.jsonMaxDepth, headers);
    const { sorted, results } = await take(front, request, headers, batch, ip);
    return (await isPublished(front, sorted)) ? Response.json({ results }) : retryLater(results);
  } catch (error) {
    const answer = failureV1(error);
    if (answer.status === 500) front.deps.log?.(`capture v1: ${describeError(error)}`);
    return answer;
  } finally {
    reservation.release();
  }
}

async function isPublished(front: Front, sorted: Sorted): Promise<boolean> {
  try {
    await front.publish(sorted);
    return true;
  } catch (error) {
    if (error instanceof RetryableError) return false;
    throw error;
  }
}

/** Some events may be stored: what is sent again has its uuid, so that it counts once. */
function retryLater(results: Results): Response {
  for (const [uuid, { result }] of Object.entries(results)) {
    if (result !== "drop") results[uuid] = { result: "retry", details: "not_persisted" };
  }
  return Response.json({ results }, { headers: { "Retry-After": RETRY_AFTER_S } });
}

async function readPayload(front: Front, request: Request, reservation: Reservation): Promise<Buffer> {
  const { batchMaxBytes } = front.deps.config;
  const body = await readBody(request, batchMaxBytes, reservation);
  if (body.byteLength === 0) throw new TerminalError("empty_body", "the request has no body");
  const contentEncoding = request.headers.get("content-encoding");
  const hints = { contentType: null, contentEncoding, data: "", compression: null, isLegacyPath: false };
  try {
    return decodePayload(body, hints, batchMaxBytes, reservation);
  } catch (error) {
    if (!(error instanceof TerminalError) || error.code !== "invalid_payload") throw error;
    throw new TerminalError("request_decoding_error", error.message);
  }
}

async function take(
  front: Front,
  request: Request,
  headers: HeadersV1,
  batch: BatchV1,
  ip: string | null,
): Promise<{ sorted: Sorted; results: Results }> {
  const project = await front.keys.projectOf(headers.token);
  const results: Results = {};
  const taken = batch.items.filter(({ event }) => typeof event === "string");
  const text = `[${taken.map(({ event }) => event).join(",")}]`;
  const body = outline(Buffer.from(text), front.deps.config.jsonMaxDepth + 1);
  const members = new Members();
  const sorted = front.sortOut(
    {
      isHistorical: batch.isHistorical,
      itemCount: taken.length,
      item: (index) => (members.toItem(body, index) ? members : null),
    },
    project,
    {
      nowMs: front.deps.now(request),
      sentAtMs: headers.sentAtMs,
      ip,
      defaultName: null,
      idempotencyKey: null,
      body: Buffer.alloc(0),
      isNobody: isIllegalForPersons,
      onDrop: (index, cause) => {
        results[taken[index]!.uuid] = { result: "drop", details: cause };
      },
    },
  );
  for (const { uuid, distinctId } of [...sorted.events, ...sorted.overflow]) {
    const isNobody = isIllegalForPersons(distinctId);
    results[uuid] = isNobody ? { result: "warning", details: "person_processing_disabled" } : { result: "ok" };
  }
  countRefusals(batch, sorted, results);
  return { sorted, results };
}

function countRefusals({ items }: BatchV1, { dropped, warnings }: Sorted, results: Results): void {
  for (const { uuid, event: refusal } of items) {
    if (typeof refusal === "string") continue;
    const { cause, details } = refusal;
    dropped[cause] = (dropped[cause] ?? 0) + 1;
    results[uuid] = { result: "drop", details };
    warnings.add(cause, { uuid, reason: details });
  }
}
