import type { AcceptedEvent, EventRow, Lane, LogRow } from "../../../src/types/mod.ts";
import type { Client } from "../client.ts";
import { inOrder, type PlacedSaid, placeOf } from "../model.ts";
import { Violation } from "../observer.ts";
import type { Receiver } from "../receiver.ts";
import type { Universe } from "../universe.ts";

const UNITS = 2 ** 20;

export interface StoredRow {
  row: EventRow;
  place: string;
  generation: number;
}

/** What was sent and accepted in a drained run, and what it has stored. */
export class Run {
  readonly rows: StoredRow[] = [];
  readonly log: LogRow[] = [];
  /** By place. */
  readonly accepted = new Map<string, { event: AcceptedEvent; lane: Lane; isCorrupt: boolean; storedAtMs: number }>();
  /** The same in the order of rule 18. */
  readonly said: readonly PlacedSaid[];
  /** Reasons, by place. */
  readonly deadLetters = new Map<string, string>();
  /** Of several of one uuid the first. */
  readonly byUuid = new Map<string, StoredRow>();
  readonly sent = new Map<string, AcceptedEvent>();
  readonly groupTypes = new Map<string, string>();
  readonly deletedUuids = new Set<string>();
  /** What is not deleted. */
  readonly isKept: (row: { teamId: number }) => boolean;

  constructor(
    readonly universe: Universe,
    readonly clients: readonly Client[],
    readonly receiver: Receiver,
  ) {
    const { store, disk, broker } = universe;
    this.isKept = ({ teamId }) => teamId !== universe.deletedTeamId;
    for (const { requests } of clients)
      for (const { events } of requests)
        for (const e of events) {
          if (this.isKept(e)) this.sent.set(e.uuid, e);
          else this.deletedUuids.add(e.uuid);
        }
    for (const { id } of store.rows<{ id: string }>("select id from segments where state = 'live'")) {
      const file = disk.files.get(id);
      if (file === undefined) throw new Violation(`the file of live segment ${id} is gone`);
      this.log.push(...file.log.filter(this.isKept));
      for (const row of file.events.filter(this.isKept)) {
        const place = placeOf(file.generation, row.lane, Math.floor(row.ordinal / UNITS), row.ordinal % UNITS);
        const stored = { row, place, generation: file.generation };
        this.rows.push(stored);
        if (!this.byUuid.has(row.uuid)) this.byUuid.set(row.uuid, stored);
      }
    }
    const kept = broker.accepted.filter((frame) => !frame.isLost);
    this.said = inOrder(kept);
    for (const frame of kept) {
      for (const [index, event] of frame.events.entries()) {
        if (!this.isKept(event)) continue;
        const { lane, isCorrupt, storedAtMs, generation, sequence } = frame;
        this.accepted.set(placeOf(generation, lane, sequence, index), { event, lane, isCorrupt, storedAtMs });
      }
    }
    type Letter = { generation: number; lane: Lane; sequence: number; frame_index: number; reason: string };
    for (const letter of store.rows<Letter>(
      "select generation, lane, sequence, frame_index, reason from dead_letters where team_id <> ?",
      universe.deletedTeamId ?? 0,
    )) {
      const place = placeOf(letter.generation, letter.lane, letter.sequence, letter.frame_index);
      if (this.deadLetters.has(place)) throw new Violation(`${place} was set aside twice`);
      this.deadLetters.set(place, letter.reason);
    }
    type Type = { team_id: number; group_type: string; group_index: number };
    for (const row of store.rows<Type>("select team_id, group_type, group_index from group_types")) {
      this.groupTypes.set(`${row.team_id}/${row.group_index}`, row.group_type);
    }
  }
}
