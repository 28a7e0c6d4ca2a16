import type { Config } from "../config.ts";
import type { PublishBatch } from "../stream/mod.ts";
import { type DropCause, EventFlag, type OutgoingEvent, uuidV7 } from "../types/mod.ts";
import type { EventContext } from "./eventContext.ts";
import { idempotentUuids } from "./idempotency.ts";
import type { OverflowBuckets } from "./overflow.ts";
import type { Payload } from "./payload.ts";
import type { Project } from "./projectKeys.ts";
import { acceptEvent } from "./raw.ts";
import { Warnings } from "./warnings.ts";

/** What all events of a request have in common besides their project. */
export interface RequestContext {
  /** The time that counts for it, epoch milliseconds. */
  nowMs: number;
  /** When it arrived, on a clock that never goes back. */
  arrivedAtMs: number;
  sentAtMs: number | null;
  ip: string | null;
  defaultName: string | null;
  idempotencyKey: string | null;
  /** As decoded. */
  body: Uint8Array;
  isNobody: EventContext["isNobody"];
  /** Told of each event that is set aside. */
  onDrop?(index: number, cause: DropCause): void;
}

/** The events of one request: good ones are kept, bad ones counted; one never costs the other. */
export interface Sorted {
  teamId: number;
  lane: "live" | "history";
  events: OutgoingEvent[];
  /** Live events of ids that send too much. */
  overflow: OutgoingEvent[];
  dropped: PublishBatch["dropped"];
  warnings: Warnings;
}

export function sortOut(
  payload: Pick<Payload, "itemCount" | "item" | "isHistorical">,
  project: Project,
  request: RequestContext,
  config: Pick<Config, "eventMaxBytes" | "warningsMaxPerRequest">,
  buckets: OverflowBuckets,
): Sorted {
  const warnings = new Warnings(config.warningsMaxPerRequest);
  const lane = payload.isHistorical ? "history" : "live";
  const sorted: Sorted = { teamId: project.teamId, lane, events: [], overflow: [], dropped: {}, warnings };
  const overflowing = new Set<string>();
  let index = 0;
  const context = contextOf(project, request, config.eventMaxBytes, warnings, () => index);
  for (; index < payload.itemCount; index++) {
    const result = acceptEvent(payload.item(index), context);
    if (typeof result === "string") {
      sorted.dropped[result] = (sorted.dropped[result] ?? 0) + 1;
      request.onDrop?.(index, result);
    } else if (lane === "history" || buckets.take(result, request.arrivedAtMs)) {
      sorted.events.push(result);
    } else {
      sorted.overflow.push(result);
      overflowing.add(result.distinctId);
    }
  }
  for (const distinct_id of overflowing) warnings.add("overflow", { distinct_id });
  return sorted;
}

/** What is to be published of them, by lane. */
export function batchesOf({ teamId, lane, events, overflow, dropped, warnings }: Sorted): PublishBatch[] {
  const first: PublishBatch = { teamId, lane, events, dropped };
  const said = warnings.list(dropped);
  if (said.length > 0) first.warnings = said;
  return overflow.length === 0 ? [first] : [first, { teamId, lane: "overflow", events: overflow, dropped: {} }];
}

function contextOf(
  project: Project,
  request: RequestContext,
  eventMaxBytes: number,
  warnings: Warnings,
  index: () => number,
): EventContext {
  const { nowMs, sentAtMs, ip, defaultName, idempotencyKey, isNobody } = request;
  const derived =
    idempotencyKey === null || idempotencyKey === ""
      ? null
      : idempotentUuids(project.teamId, idempotencyKey, request.body);
  const sentAtMember = sentAtMs === null ? "" : `,"$sent_at":"${new Date(sentAtMs).toISOString()}"`;
  const ipMember = ip === null ? "" : `,"$ip":${JSON.stringify(ip)}`;
  return {
    ...project,
    nowMs,
    sentAtMs,
    sentAtMember,
    ipMember,
    ownMembers: sentAtMember + ipMember,
    eventMaxBytes,
    defaultName,
    newUuid: derived === null ? () => uuidV7(nowMs) : () => derived(index()),
    newUuidFlag: derived === null ? EventFlag.ServerUuid : 0,
    isNobody,
    warn: (type, details) => warnings.add(type, details),
  };
}
