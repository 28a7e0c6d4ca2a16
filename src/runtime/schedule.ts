import type { Frame } from "../stream/mod.ts";
import type { Lane } from "../types/mod.ts";
import { CAREFUL_FROM_ATTEMPTS, eventsIn, type OwnedLane, type OwnedPartition, type Take } from "./ownedPartition.ts";

export interface ScheduleLimits {
  flushMs: number;
  historyFlushMs: number;
  flushMaxEvents: number;
  flushMaxBytes: number;
  mergesMax: number;
}

/** What the worker has when the next flush is chosen. */
export interface Turn {
  partitions: readonly OwnedPartition[];
  /** Whether a flush of the partition is under way: nothing else of it may be taken. */
  isBusy: (partition: number) => boolean;
  /** Of a clock that is never set. */
  nowMs: number;
  /** No history is taken, until compaction has made room for keys. */
  isFull: boolean;
}

/**
 * Decides what a flush takes: merges alone, or events of all lanes, live first. History of any size holds live events up
 * by one flush at most; while there are live events a flush takes what can be done in about `flushMs`, else, and when more of
 * them wait than that, up to `flushMaxEvents`. Large events count for several. Merges and events take turns, hence neither holds up the other;
 * a lane that was left out because its partition was busy is due when that is free again.
 */
export class Schedule {
  private readonly lastFlushAtMs: Record<Lane, number> = {
    live: NEVER,
    history: NEVER,
    overflow: NEVER,
    identity: NEVER,
  };
  /** Where the last flush ended, so that no partition is always served first. */
  private turn = 0;
  private wasIdentity = false;
  /** Flushes of merges since the last one with history. */
  private mergeFlushes = 0;
  /** Lanes of busy partitions that waited when a flush took others of their kind. */
  private readonly leftOut = new WeakSet<OwnedLane>();
  private readonly pace = { events: new Pace(), merges: new Pace() };

  constructor(private readonly limits: ScheduleLimits) {}

  /** The frames that are due now; empty when none are. */
  take({ partitions, isBusy, nowMs, isFull }: Turn): Take[] {
    const busy = partitions.filter(({ epoch }) => isBusy(epoch.partition));
    const free = partitions.filter((partition) => !busy.includes(partition));
    const lanes = lanesOf(rotate(free, this.turn++));
    if (!lanes.some(isWaiting)) return [];
    const careful = lanes.find((lane) => lane.attempts >= CAREFUL_FROM_ATTEMPTS && isWaiting(lane));
    if (careful !== undefined) return [{ from: careful, frames: careful.reader.buffered.slice(0, 1) }];

    const { flushMaxEvents, mergesMax } = this.limits;
    const paced = this.roomFor("events", flushMaxEvents, nowMs);
    // A backlog of live events is worked off soonest by large flushes.
    const maxEvents = this.waitingEvents(lanes.filter(({ lane }) => lane === "live")) > paced ? flushMaxEvents : paced;
    const maxMerges = this.roomFor("merges", mergesMax, nowMs);
    const events = () => {
      const holdHistory = isFull || this.isMergesTurn(partitions);
      const kinds = ORDER.filter((lane) => lane !== "identity" && !(lane === "history" && holdHistory));
      return this.takeLanes(kinds, lanes, nowMs, maxEvents);
    };
    const merges = () => this.takeLanes(["identity"], lanes, nowMs, maxMerges);
    const [first, second] = this.wasIdentity || lanes.some(this.isOwed) ? [events, merges] : [merges, events];
    const takes = first();
    const chosen = takes.length > 0 ? takes : second();
    const [lead] = chosen;
    if (lead !== undefined) this.wasIdentity = lead.from.lane === "identity";
    if (lead?.from.lane === "identity") this.mergeFlushes++;
    if (chosen.some(({ from }) => from.lane === "history")) this.mergeFlushes = 0;
    this.noteLeftOut(chosen, lanesOf(busy));
    return chosen;
  }

  private noteLeftOut(chosen: readonly Take[], busy: readonly OwnedLane[]): void {
    for (const { from } of chosen) this.leftOut.delete(from);
    const kinds = new Set(chosen.map(({ from }) => from.lane));
    for (const lane of busy) if (kinds.has(lane.lane) && isWaiting(lane)) this.leftOut.add(lane);
  }

  private readonly isOwed = (lane: OwnedLane): boolean => this.leftOut.has(lane) && isWaiting(lane);

  /**
   * Whether history gives way to merges that wait, in whatever partition: live merges of a project come behind those of its migration, and the
   * worker does both on one thread. History has its turn after `MERGE_FLUSHES_MAX` flushes of merges.
   */
  private isMergesTurn(partitions: readonly OwnedPartition[]): boolean {
    if (this.mergeFlushes >= MERGE_FLUSHES_MAX) return false;
    return this.waitingEvents(lanesOf(partitions).filter(({ lane }) => lane === "identity")) >= MIN_EVENTS;
  }

  /** Tells how long a flush took. */
  done(takes: readonly Take[], tookMs: number): void {
    const events = takes.reduce((sum, take) => sum + this.eventsOf(take.frames), 0);
    this.pace[takes[0]?.from.lane === "identity" ? "merges" : "events"].note(events, tookMs);
  }

  /** Most events of the next flush: while live ones come in, none of them should wait long for it. */
  private roomFor(kind: "events" | "merges", max: number, nowMs: number): number {
    if (nowMs - this.lastFlushAtMs.live > LIVE_MS) return max;
    return Math.min(max, Math.max(MIN_EVENTS, this.pace[kind].eventsIn(this.limits.flushMs)));
  }

  private takeLanes(kinds: readonly Lane[], lanes: readonly OwnedLane[], nowMs: number, maxEvents: number): Take[] {
    const takes: Take[] = [];
    let room = maxEvents;
    for (const kind of kinds) {
      const ofKind = lanes.filter((lane) => lane.lane === kind);
      if (!this.isDue(kind, ofKind, nowMs, maxEvents)) continue;
      this.lastFlushAtMs[kind] = nowMs;
      for (const lane of ofKind) {
        const take = this.takeUpTo(lane, room);
        if (take.frames.length === 0) continue;
        room -= this.eventsOf(take.frames);
        takes.push(take);
      }
    }
    return takes;
  }

  private isDue(kind: Lane, lanes: readonly OwnedLane[], nowMs: number, maxEvents: number): boolean {
    const waiting = lanes.filter(isWaiting);
    if (waiting.length === 0) return false;
    if (waiting.some(this.isOwed)) return true;
    if (this.waitingEvents(waiting) >= maxEvents) return true;
    // A lane that still has more to come in is worth waiting for: bigger files, fewer of them.
    const moreToCome = kind === "history" && waiting.some((lane) => !lane.reader.caughtUp);
    return nowMs - this.lastFlushAtMs[kind] >= (moreToCome ? this.limits.historyFlushMs : this.limits.flushMs);
  }

  private takeUpTo(from: OwnedLane, room: number): Take {
    let events = 0;
    let count = 0;
    for (const frame of from.reader.buffered) {
      if (events >= room) break;
      events += this.eventsOf([frame]);
      count++;
    }
    return { from, frames: from.reader.buffered.slice(0, count) };
  }

  private waitingEvents(lanes: readonly OwnedLane[]): number {
    return lanes.reduce((sum, lane) => sum + this.eventsOf(lane.reader.buffered), 0);
  }

  /** Where they are larger than fit into a flush by number, so many more. */
  private eventsOf(frames: readonly Frame[]): number {
    const { flushMaxEvents, flushMaxBytes } = this.limits;
    return frames.reduce(
      (sum, frame) => sum + Math.max(eventsIn(frame), (frame.rawBytes * flushMaxEvents) / flushMaxBytes),
      0,
    );
  }
}

const NEVER = Number.NEGATIVE_INFINITY;
/** Live events count as coming in for so long after the last. */
const LIVE_MS = 5_000;
/** Below it the fixed costs of a flush are more than those of its events. */
const MIN_EVENTS = 2_000;
/** So many flushes of merges in a row hold history up. */
const MERGE_FLUSHES_MAX = 8;
/** Of the newest flush in the average. */
const WEIGHT = 0.3;

/** How fast flushes have been lately: large ones weigh more than small ones, which are mostly fixed costs. */
class Pace {
  private events = 0;
  private ms = 0;

  /** Flushes of a few events tell nothing: what they cost is mostly fixed. */
  note(events: number, tookMs: number): void {
    if (events < MIN_EVENTS) return;
    this.events += WEIGHT * (events - this.events);
    this.ms += WEIGHT * (tookMs - this.ms);
  }

  eventsIn(ms: number): number {
    return this.ms === 0 ? 0 : Math.floor((ms * this.events) / this.ms);
  }
}

/** History comes last: it gets the rest of a flush's room. */
const ORDER: readonly Lane[] = ["identity", "live", "overflow", "history"];

const isWaiting = ({ reader }: OwnedLane): boolean => reader.buffered.length > 0;

const lanesOf = (partitions: readonly OwnedPartition[]): OwnedLane[] => partitions.flatMap(({ lanes }) => lanes);

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
