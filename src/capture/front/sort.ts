import type { Config } from "../../config.ts";
import type { PublishBatch } from "../../stream/mod.ts";
import type { DropCause, OutgoingEvent, Turns } from "../../types/mod.ts";
import type { Aside } from "../aside/aside.ts";
import type { EventContext } from "../event/eventContext.ts";
import { normaliseEvent } from "../event/normalise.ts";
import { rawEvent } from "../event/raw.ts";
import { Warnings } from "../event/warnings.ts";
import { ENTRY, Members } from "../outline/outline.ts";
import type { Payload } from "../payload/payload.ts";
import type { OverflowBuckets } from "./overflow.ts";
import type { Project } from "./projectKeys.ts";
import { contextOf, type RequestContext } from "./requestContext.ts";

/** What of a payload is sorted. */
export type SortedPayload = Pick<Payload, "outline" | "isHistorical" | "misread" | "isSingle">;

export interface SortTools {
  config: Pick<Config, "eventMaxBytes" | "warningsMaxPerRequest">;
  buckets: OverflowBuckets;
  turns: Turns;
  aside: Aside;
}

/** A batch that is full goes on its way before the next is begun, so that few events of a request are held at once. */
const BATCH_MAX_EVENTS = 2048;
const BATCH_MAX_BYTES = 1280 * 1024;
/**
 * After so many bytes of events the clock is looked at; what an event costs besides counts as so many, and more where it
 * is not stored as it was sent. A short request is done in one go: its bytes would go cold while others have their turns.
 */
const FIRST_LOOK_BYTES = 1536 * 1024;
const LOOK_BYTES = 16 * 1024;
const RAW_COST_BYTES = 256;
const MADE_COST_BYTES = 2048;
/** Items that say nothing are set aside so many at once. */
const BARE_AT_ONCE = 4096;
const BARE_COST_BYTES = 4;
/** An event above this that is not stored as it was sent may take long, and is worked on in a thread. */
const LONG_EVENT_BYTES = 32 * 1024;

/** Sorts the events of one request: good ones are kept, bad ones counted; one never costs the other. */
export class Sorting {
  readonly warnings: Warnings;
  readonly dropped: PublishBatch["dropped"] = {};
  keptEvents = 0;
  private readonly lane: "live" | "history";
  private readonly count: number;
  private readonly context: EventContext;
  private readonly members = new Members();
  private readonly overflowing = new Set<string>();
  private index = 0;
  private events: OutgoingEvent[] = [];
  /** Live events of ids that send too much. */
  private overflow: OutgoingEvent[] = [];
  private heldBytes = 0;
  private bytesUntilLook = FIRST_LOOK_BYTES;

  constructor(
    private readonly payload: SortedPayload,
    private readonly project: Project,
    private readonly request: RequestContext,
    /** When it arrived, on a clock that never goes back. */
    private readonly arrivedAtMs: number,
    private readonly tools: SortTools,
  ) {
    this.warnings = new Warnings(tools.config.warningsMaxPerRequest);
    this.lane = payload.isHistorical ? "history" : "live";
    this.count = payload.isSingle ? 1 : payload.outline.itemCount;
    // Its sender has meant something, most likely a migration that is not to be charged.
    if (payload.misread !== null) {
      this.warnings.add("invalid_historical_migration", { historical_migration: payload.misread });
    }
    this.context = contextOf(project, request, {
      isHistorical: payload.isHistorical,
      eventMaxBytes: tools.config.eventMaxBytes,
      warnings: this.warnings,
      index: () => this.index,
    });
  }

  /** Whether batches are still to come; the last has the counts and warnings of all. */
  get hasMore(): boolean {
    return this.index < this.count;
  }

  /**
   * Sorts the next events, as many as make a batch, and gives what is to be published of them, by lane. Gives a promise only
   * where it must wait.
   */
  nextBatches(): PublishBatch[] | Promise<PublishBatch[]> {
    const pause = this.sort();
    return pause === null ? this.batches() : this.sortAfter(pause);
  }

  private async sortAfter(pause: Promise<void>): Promise<PublishBatch[]> {
    for (let next: Promise<void> | null = pause; next !== null; next = this.sort()) await next;
    return this.batches();
  }

  /** Goes on until a batch is full or all is sorted, which is null, or until it must wait. */
  private sort(): Promise<void> | null {
    const { turns } = this.tools;
    while (this.hasMore && !this.isFull) {
      if (this.bytesUntilLook <= 0) {
        this.bytesUntilLook = LOOK_BYTES;
        if (turns.isOver) return turns.next();
      }
      if (this.skipBare()) continue;
      this.load();
      const result = rawEvent(this.members, this.context) ?? this.make();
      if (result instanceof Promise) return result.then((made) => this.take(made));
      this.take(result);
    }
    return null;
  }

  private get isFull(): boolean {
    return this.events.length + this.overflow.length >= BATCH_MAX_EVENTS || this.heldBytes >= BATCH_MAX_BYTES;
  }

  /** Sets aside the next items without any known member, of which a body can have millions; false when there is none. */
  private skipBare(): boolean {
    const cause = this.bareCause(this.index);
    if (cause === null) return false;
    const from = this.index;
    const end = Math.min(this.count, from + BARE_AT_ONCE);
    while (this.index < end && this.bareCause(this.index) === cause) {
      this.request.onDrop?.(this.index, cause);
      this.index++;
    }
    const count = this.index - from;
    this.dropped[cause] = (this.dropped[cause] ?? 0) + count;
    this.warnings.add(cause, {}, count);
    this.bytesUntilLook -= count * BARE_COST_BYTES;
    return true;
  }

  /** Why an item is set aside that is no object, or has no member that is known; null for any other. */
  private bareCause(index: number): DropCause | null {
    if (this.payload.isSingle) return null;
    const { itemStarts } = this.payload.outline;
    if (itemStarts[index]! < 0) return "invalid_event";
    if (itemStarts[index] !== itemStarts[index + 1]) return null;
    return this.request.defaultName === null ? "missing_event_name" : "missing_distinct_id";
  }

  private load(): void {
    const { members, payload } = this;
    if (payload.isSingle) members.toRoot(payload.outline);
    else members.toItem(payload.outline, this.index);
    this.bytesUntilLook -= this.sizeBytes + RAW_COST_BYTES;
  }

  /** Of the present event, about. */
  private get sizeBytes(): number {
    return this.members.lastByte - this.members.firstByte;
  }

  private make(): OutgoingEvent | DropCause | Promise<OutgoingEvent | DropCause> {
    this.bytesUntilLook -= MADE_COST_BYTES;
    return this.sizeBytes <= LONG_EVENT_BYTES ? normaliseEvent(this.members, this.context) : this.makeAside();
  }

  private async makeAside(): Promise<OutgoingEvent | DropCause> {
    const { hasEscapes, firstByte, lastByte, from, to } = this.members;
    const bytes = await copyOf(this.members.bytes, firstByte, lastByte, this.tools.turns);
    const entries = this.members.entries.slice(from, to);
    for (let at = 0; at < entries.length; at += ENTRY) {
      for (let offset = 1; offset < ENTRY; offset++) entries[at + offset]! -= firstByte;
    }
    const { newUuid, isNobody, warn, ...facts } = this.context;
    const { result, warnings } = await this.tools.aside.run(ownerOf(this.project), "event", {
      bytes,
      hasEscapes,
      entries,
      facts,
      uuid: newUuid(),
      mindsNobodies: isNobody !== null,
    });
    for (const [type, details] of warnings) warn(type, details);
    return result;
  }

  private take(result: OutgoingEvent | DropCause): void {
    const { request } = this;
    const index = this.index++;
    if (typeof result === "string") {
      this.dropped[result] = (this.dropped[result] ?? 0) + 1;
      request.onDrop?.(index, result);
      return;
    }
    this.keptEvents++;
    this.heldBytes += this.sizeBytes;
    request.onKeep?.(index, result);
    if (this.lane === "history" || this.tools.buckets.take(result, this.arrivedAtMs)) {
      this.events.push(result);
      return;
    }
    this.overflow.push(result);
    const { distinctId } = result;
    if (this.overflowing.has(distinctId)) return;
    this.overflowing.add(distinctId);
    this.warnings.add("overflow", { distinct_id: distinctId });
  }

  private batches(): PublishBatch[] {
    const { events, overflow, lane } = this;
    const { teamId } = this.project;
    this.events = [];
    this.overflow = [];
    this.heldBytes = 0;
    const first: PublishBatch = { teamId, lane, events, dropped: {} };
    if (!this.hasMore) {
      first.dropped = this.dropped;
      const said = this.warnings.list(this.dropped);
      if (said.length > 0) first.warnings = said;
    }
    return overflow.length === 0 ? [first] : [first, { teamId, lane: "overflow", events: overflow, dropped: {} }];
  }
}

/** The owner of a job (see `Aside.run`) that is done for a project. */
export function ownerOf({ teamId }: Project): string {
  return `project ${teamId}`;
}

const COPIED_AT_ONCE_BYTES = 512 * 1024;

async function copyOf(bytes: Buffer, start: number, end: number, turns: Turns): Promise<Buffer> {
  const copy = Buffer.allocUnsafeSlow(end - start);
  for (let at = start; at < end; at += COPIED_AT_ONCE_BYTES) {
    if (turns.isOver) await turns.next();
    bytes.copy(copy, at - start, at, Math.min(end, at + COPIED_AT_ONCE_BYTES));
  }
  return copy;
}
