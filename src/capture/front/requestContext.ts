import { type DropCause, EventFlag, type OutgoingEvent, uuidV5, uuidV7 } from "../../types/mod.ts";
import type { EventContext } from "../event/eventContext.ts";
import type { Warnings } from "../event/warnings.ts";
import type { Project } from "./projectKeys.ts";

/** What all events of a request have in common besides their project. */
export interface RequestContext {
  /** The time that counts for it, epoch milliseconds. */
  nowMs: number;
  sentAtMs: number | null;
  ip: string | null;
  defaultName: string | null;
  /** From it the uuids of events that have none are made, so that a copy gets the same; null: they are made anew. */
  idempotency: { key: string; digest: string } | null;
  isNobody: EventContext["isNobody"];
  /** Told of each event that is kept, and of each that is set aside. */
  onKeep?(index: number, event: OutgoingEvent): void;
  onDrop?(index: number, cause: DropCause): void;
}

interface ContextOptions {
  /** A batch of history: its sender is not where its events come from. */
  isHistorical: boolean;
  /** Of an event that comes for the first time. */
  eventMaxBytes: number;
  warnings: Warnings;
  /** Of the present event. */
  index(): number;
}

/**
 * By so much an event of a history may be larger: it brings what was added to it when it was first taken (`$group_…`), and the
 * `$import_id` of an import. So an event that was taken once is taken again.
 */
const HISTORY_ROOM_BYTES = 16 * 1024;

/** What the events of a request depend on. */
export function contextOf(
  project: Project,
  request: RequestContext,
  { isHistorical, eventMaxBytes, warnings, index }: ContextOptions,
): EventContext {
  const { nowMs, sentAtMs, defaultName, idempotency, isNobody } = request;
  const ip = isHistorical ? null : request.ip;
  const derived = idempotency === null ? null : idempotentUuids(project.teamId, idempotency.key, idempotency.digest);
  const sentAtMember = sentAtMs === null ? "" : `,"$sent_at":"${new Date(sentAtMs).toISOString()}"`;
  const ipMember = ip === null ? "" : `,"$ip":${JSON.stringify(ip)}`;
  return {
    ...project,
    nowMs,
    sentAtMs,
    sentAtMember,
    ipMember,
    ownMembers: sentAtMember + ipMember,
    eventMaxBytes: isHistorical ? eventMaxBytes + HISTORY_ROOM_BYTES : eventMaxBytes,
    defaultName,
    newUuid: derived === null ? () => uuidV7(nowMs) : () => derived(index()),
    newUuidFlag: derived === null ? EventFlag.ServerUuid : 0,
    isNobody,
    warn: (type, details) => warnings.add(type, details),
  };
}

/** The namespace of uuids that are derived from a request. */
const NAMESPACE = Buffer.from("8d3f7e0c5b0a4c1e9a4d6f2b71c85e39", "hex");

/**
 * Uuids for the events of a request that carry none, so that a copy of the request gives the same: from the client's
 * `Idempotency-Key` and the body's digest together, because a key used again for another body must not lose events.
 */
function idempotentUuids(teamId: number, key: string, digest: string): (index: number) => string {
  const request = `${teamId}:${key.length}:${key}:${digest}`;
  return (index) => uuidV5(NAMESPACE, `${request}:${index}`);
}
