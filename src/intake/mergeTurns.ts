import { mergeKindOf, mergeOf, mergeRequest } from "../persons/mod.ts";
import type { Turn } from "../stream/mod.ts";
import { EventFlag, type Lane, type Merge, type OutgoingEvent, RawEvent, textOf } from "../types/mod.ts";

/** More would let one request take seconds: then what is left of it goes with the last one. */
const TURNS_MAX = 32;

/**
 * Cuts the events of a request so that a merge stands between what the request says of its ids before it and after it
 * (protocol rule 6): a turn begins when the one before it is acknowledged. Ids that the request does not connect share
 * turns, so that there are few. Nearly always no event merges, and there is one turn. History is one turn: its events bring their times.
 */
export function inTurns({ lane, events }: { lane: Lane; events: OutgoingEvent[] }): Turn[] {
  const merges = mergesIn(events);
  if (merges.size === 0) return [{ events, merging: [], later: [] }];
  const turns: Turn[] = [];
  const groups = new Map<string, Group>();
  for (const event of events) {
    const merge = merges.get(event);
    const group = lane === "history" ? IN_ONE_TURN : groupOf(event, merge, groups);
    turns[group.turn] ??= { events: [], merging: [], later: [] };
    const turn = turns[group.turn]!;
    turn.events.push(event);
    if (merge !== undefined) turn.merging.push({ event, copy: mergeRequest(event, merge, lane) });
    else if (group.isMerged) turn.later.push(event);
  }
  return turns;
}

function mergesIn(events: readonly OutgoingEvent[]): Map<OutgoingEvent, Merge> {
  const merges = new Map<OutgoingEvent, Merge>();
  for (const event of events) {
    if (event instanceof RawEvent || mergeKindOf(event.event) === null) continue;
    const { merge = mergeOf({ ...event, properties: textOf(event.properties) }) } = event;
    if (merge !== null && !merge.illegal) merges.set(event, merge);
  }
  return merges;
}

/** Ids that the request has merged so far. */
interface Group {
  /** Of what comes next. */
  turn: number;
  /** Whether something was said of a person in that turn. */
  hasSaid: boolean;
  isMerged: boolean;
  ids: string[];
}

const IN_ONE_TURN: Group = { turn: 0, hasSaid: false, isMerged: false, ids: [] };

/** The group of an event's ids, as it is after it. */
function groupOf(event: OutgoingEvent, merge: Merge | undefined, groups: Map<string, Group>): Group {
  const find = (id: string): Group =>
    groups.getOrInsertComputed(id, () => ({ turn: 0, hasSaid: false, isMerged: false, ids: [id] }));
  if (merge === undefined) {
    const group = find(event.distinctId);
    if ((event.flags & EventFlag.Personless) === 0) group.hasSaid = true;
    return group;
  }
  const [source, target] = [find(merge.source), find(merge.target)];
  const next = ({ turn, hasSaid }: Group) => (hasSaid ? turn + 1 : turn);
  target.turn = Math.min(TURNS_MAX - 1, Math.max(next(source), next(target)));
  target.hasSaid = true;
  target.isMerged = true;
  if (source !== target) {
    target.ids.push(...source.ids);
    for (const id of source.ids) groups.set(id, target);
  }
  return target;
}
