import type { PublishBatch } from "../../stream/mod.ts";
import { describeError, TerminalError } from "../../types/mod.ts";
import { readBody } from "../body.ts";
import type { Reservation } from "../byteBudget.ts";
import { decodePayload } from "../decode.ts";
import type { Front } from "../front.ts";
import { Members } from "../outline.ts";
import { outline } from "../scan.ts";
import { type BatchV1, parseBatch } from "./batch.ts";
import { failureV1 } from "./errors.ts";
import { type HeadersV1, readHeaders } from "./headers.ts";

type Results = Record<string, { result: "ok" } | { result: "drop"; details: string }>;

/** POST /i/v1/analytics/events: as the other paths, but each event has its own result. Never rejects. */
export async function receiveV1(front: Front, request: Request, ip: string | null): Promise<Response> {
  const reservation = front.budget.reserve();
  try {
    front.checkAdmission();
    const headers = readHeaders(request.headers);
    const text = await readText(front, request, reservation);
    const batch = parseBatch(text, front.deps.config.jsonMaxDepth, headers);
    const { events, results } = await take(front, request, headers, batch, ip);
    await front.deps.publisher.publish(events);
    return Response.json({ results });
  } catch (error) {
    const answer = failureV1(error);
    if (answer.status === 500) front.deps.log?.(`capture v1: ${describeError(error)}`);
    return answer;
  } finally {
    reservation.release();
  }
}

async function readText(front: Front, request: Request, reservation: Reservation): Promise<string> {
  const { batchMaxBytes } = front.deps.config;
  const body = await readBody(request, batchMaxBytes, reservation);
  if (body.byteLength === 0) throw new TerminalError("empty_body", "the request has no body");
  const contentEncoding = request.headers.get("content-encoding");
  const hints = { contentType: null, contentEncoding, data: "", compression: null, isLegacyPath: false };
  try {
    return decodePayload(body, hints, batchMaxBytes, reservation).text;
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
): Promise<{ events: PublishBatch; results: Results }> {
  const project = await front.keys.projectOf(headers.token);
  const results: Results = {};
  for (const { uuid } of batch.items) results[uuid] = { result: "ok" };
  const taken = batch.items.filter(({ event }) => typeof event === "string");
  const body = outline(`[${taken.map(({ event }) => event).join(",")}]`, front.deps.config.jsonMaxDepth + 1);
  const members = new Members();
  const events = front.sortOut(
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
      body: "",
    },
    (index, cause) => {
      results[taken[index]!.uuid] = { result: "drop", details: cause };
    },
  );
  countRefusals(batch, events, results, front.deps.config.warningsMaxPerRequest);
  return { events, results };
}

function countRefusals({ items }: BatchV1, events: PublishBatch, results: Results, warningsMax: number): void {
  const warnings = events.warnings ?? [];
  for (const { uuid, event: refusal } of items) {
    if (typeof refusal === "string") continue;
    const { cause, details } = refusal;
    events.dropped[cause] = (events.dropped[cause] ?? 0) + 1;
    results[uuid] = { result: "drop", details };
    if (warnings.length < warningsMax) warnings.push({ type: cause, details: { uuid, reason: details } });
  }
  if (warnings.length > 0) events.warnings = warnings;
}
