import { type MsgHdrs, MsgHdrsImpl } from "@nats-io/transport-node";
import { MAX_EVENTS_PER_FRAME, type TeamCounts, type TeamWarning, type WeirError } from "../../types/mod.ts";
import { addDropped, COUNTS_HEADER, encodeCounts } from "../frame/counts.ts";
import { estimateBytes, type FrameWriter } from "../frame/frameWriter.ts";
import { encodeWarnings, WARNINGS_HEADER } from "../frame/warnings.ts";
import type { Part, Request } from "./request.ts";

/** A frame on its way: kept until it is acknowledged, to be sent again as it is. */
export interface OutgoingFrame {
  readonly payload: Uint8Array;
  readonly headers: MsgHdrs;
  /** All with a part in it. */
  readonly requests: Set<Request>;
  /** Those whose last event of this partition is in it. */
  readonly completes: Request[];
  /** Callbacks of parts that must know where their events are. */
  readonly onStored: ((sequence: number) => void)[];
}

export interface FrameOptions {
  frameMaxBytes: number;
  /** By it the broker drops copies of the frame; null: it may store the frame twice. */
  id: (() => string) | null;
  stream: string;
}

/**
 * Takes events from the front of `parts` until the frame is full, and removes the parts that are used up.
 * Null when nothing was left to send.
 */
export function takeFrame(parts: Part[], writer: FrameWriter, o: FrameOptions): OutgoingFrame | null {
  const counts = new Map<number, TeamCounts>();
  const requests = new Set<Request>();
  const completes: Request[] = [];
  const warnings: TeamWarning[] = [];
  const onStored: OutgoingFrame["onStored"] = [];
  let events = 0;
  let used = 0;
  for (const part of parts) {
    if (writer.sizeBytes >= o.frameMaxBytes || events === MAX_EVENTS_PER_FRAME - 1) break;
    if (!part.request.hasFailed) {
      const from = part.next;
      events += takeEvents(part, writer, o, MAX_EVENTS_PER_FRAME - 1 - events, counts);
      requests.add(part.request);
      const to = part.next;
      if (part.onStored !== undefined) onStored.push((sequence) => part.onStored?.(from, to, sequence));
      for (const warning of part.warnings.splice(0)) warnings.push({ ...warning, teamId: part.teamId });
      if (part.next < part.events.length) break;
      completes.push(part.request);
    }
    used++;
  }
  parts.splice(0, used);
  const payload = writer.finish();
  if (requests.size === 0) return null;
  const fields: Record<string, string[]> = {
    ...(o.id !== null && { "Nats-Msg-Id": [o.id()] }),
    "Nats-Expected-Stream": [o.stream],
    [COUNTS_HEADER]: [encodeCounts(counts.values())],
  };
  const warningsText = encodeWarnings(warnings);
  if (warningsText !== null) fields[WARNINGS_HEADER] = [warningsText];
  // All at once: `set` looks through those that are there, twice.
  return { payload, headers: MsgHdrsImpl.fromRecord(fields), requests, completes, onStored };
}

/** Writes what fits of a part and counts it; gives the number of events. */
function takeEvents(
  part: Part,
  writer: FrameWriter,
  { frameMaxBytes, id }: FrameOptions,
  maxEvents: number,
  counts: Map<number, TeamCounts>,
): number {
  const start = part.next;
  const end = Math.min(part.events.length, start + maxEvents);
  while (part.next < end && writer.sizeBytes < frameMaxBytes) {
    const event = part.events[part.next++]!;
    part.waitingBytes -= estimateBytes(event);
    writer.add(event, id === null);
  }
  const { teamId } = part;
  const count = counts.getOrInsertComputed(teamId, () => ({ teamId, events: 0, dropped: {} }));
  count.events += part.next - start;
  if (part.dropped !== null) addDropped(count.dropped, part.dropped);
  part.dropped = null;
  return part.next - start;
}

export function failAll(requests: Iterable<Request>, error: WeirError): void {
  for (const request of requests) request.fail(error);
}
