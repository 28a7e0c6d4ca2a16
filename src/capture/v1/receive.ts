import { isIllegalForPersons } from "../../persons/mod.ts";
import { describeError, RetryableError, requestIdOf, UUID_BYTES } from "../../types/mod.ts";
import { read } from "../aside/reading.ts";
import { type Reservation, SMALL_BYTES } from "../body/byteBudget.ts";
import type { Front } from "../front/front.ts";
import type { Project } from "../front/projectKeys.ts";
import { ownerOf, type Sorting } from "../front/sort.ts";
import { heldBytes } from "../outline/outline.ts";
import { type BatchV1, REFUSALS, readBatch, TAKEN } from "../payload/v1Batch.ts";
import { type HeadersV1, readHeaders } from "../payload/v1Headers.ts";
import { failureV1 } from "./errors.ts";
import { Outcomes } from "./outcomes.ts";

const RETRY_AFTER_S = "1";

/** POST /i/v1/analytics/events: as the other paths, but each event has its own result. Never rejects. */
export async function receiveV1(front: Front, request: Request, ip: string | null): Promise<Response> {
  const reservation = front.deps.budget.reserve(ip);
  try {
    front.checkAdmission();
    const headers = readHeaders(request.headers);
    const project = await front.deps.keys.projectOf(headers.token);
    reservation.check();
    const nowMs = front.deps.now(request);
    const batch = await readBody(front, request, { headers, project, ip, reservation });
    const outcomes = new Outcomes(batch);
    const sorting = front.sorting({ ...batch, isSingle: false }, project, {
      nowMs,
      sentAtMs: headers.sentAtMs,
      ip,
      defaultName: null,
      idempotency: null,
      isNobody: isIllegalForPersons,
      onKeep: (index, { distinctId }) => {
        if (isIllegalForPersons(distinctId)) outcomes.setNobody(index);
      },
      onDrop: (index, cause) => outcomes.setDropped(index, cause),
    });
    await countRefusals(front, batch, sorting);
    const isStored = await publish(front, sorting);
    const answer = new Response(await outcomes.print(isStored, front.deps.turns), {
      headers: { "Content-Type": "application/json;charset=utf-8" },
    });
    if (!isStored) answer.headers.set("Retry-After", RETRY_AFTER_S);
    return answer;
  } catch (error) {
    const answer = failureV1(error);
    if (answer.status === 500) front.deps.log?.(`capture v1: ${describeError(error)}`, requestIdOf(request));
    return answer;
  } finally {
    reservation.release();
  }
}

async function readBody(
  front: Front,
  request: Request,
  o: { headers: HeadersV1; project: Project; ip: string | null; reservation: Reservation },
): Promise<BatchV1> {
  const { batchMaxBytes: maxBytes, jsonMaxDepth: maxDepth } = front.deps.config;
  const { headers, reservation } = o;
  const body = await front.readBody(request, maxBytes, o.ip, reservation);
  const sentBytes = body.byteLength;
  const input = { body, maxBytes, maxDepth, headers, contentEncoding: request.headers.get("content-encoding") };
  // Its events are written anew, which takes longer than notes.
  const here = () => readBatch(body, { ...input, hereMaxBytes: SMALL_BYTES });
  const job = { name: "batchV1", input } as const;
  const batch = await read(front.deps, ownerOf(o.project), body, SMALL_BYTES, here, job);
  reservation.takeRead(heldBytes(batch.outline) - sentBytes);
  return batch;
}

/** Sorts all events in any case: each has its result. */
async function publish(front: Front, sorting: Sorting): Promise<boolean> {
  let isStored = true;
  do {
    const batches = await sorting.nextBatches();
    if (!isStored) continue;
    try {
      await front.publish(batches);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      isStored = false;
    }
  } while (sorting.hasMore);
  return isStored;
}

const LOOK_EVENTS = 1024;

async function countRefusals(
  front: Front,
  { uuids, refusals }: BatchV1,
  { dropped, warnings }: Sorting,
): Promise<void> {
  const { turns } = front.deps;
  for (let i = 0; i < refusals.length; i++) {
    if (i % LOOK_EVENTS === 0 && turns.isOver) await turns.next();
    if (refusals[i] === TAKEN) continue;
    const { cause, details } = REFUSALS[refusals[i]!]!;
    dropped[cause] = (dropped[cause] ?? 0) + 1;
    const uuid = uuids.toString("latin1", i * UUID_BYTES, (i + 1) * UUID_BYTES);
    warnings.add(cause, { uuid, reason: details });
  }
}
