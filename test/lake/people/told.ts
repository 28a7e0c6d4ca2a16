import { expect } from "bun:test";
import fc from "fast-check";
import { Compactor } from "../../../src/lake/mod.ts";
import type { TypedColumn } from "../../../src/lake/typed/columns.ts";
import type { EventRow, IdentityRow, Move } from "../../../src/types/mod.ts";
import { row } from "../support.ts";
import type { TestLake } from "../testLake.ts";
import { idOf, TEAM } from "./support.ts";

const KiB = 1024;
export const IDS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const EVENTS = ["seen", "bought", "left"];

/** Something that happens to a lake. */
export type Happening =
  | { store: string[] }
  | { merge: [from: string, into: string] }
  | { erase: string }
  | { compact: true };

const id = fc.constantFrom(...IDS);

export const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    fc.record({ store: fc.array(id, { minLength: 1, maxLength: 8 }) }),
    fc.record({ merge: fc.tuple(id, id) }),
    fc.record({ erase: id }),
    { weight: 2, arbitrary: fc.record({ compact: fc.constant(true as const) }) },
  ),
  { minLength: 4, maxLength: 12 },
);

/** Enough rows for a project to get files of its own. */
export const flushOf = (ids: readonly string[], rows = 400) =>
  Array.from({ length: rows }, (_, i) => ({ id: ids[i % ids.length]!, event: EVENTS[i % EVENTS.length]! }));

/** A lake beside what it must say: the events, and where each id's person is now. */
export class Told {
  events: EventRow[] = [];
  private stored = 0;
  readonly survivors = new Map(IDS.map((id) => [id, id]));
  private readonly moves = new Map<string, Move[]>(IDS.map((id) => [id, []]));
  private readonly compactor: Compactor;
  private versions = 0;

  constructor(readonly lake: TestLake) {
    const config = {
      compactTargetBytes: 16 * KiB,
      compactFanout: 2,
      compactMs: 0,
      compactMemoryBytes: 256 * KiB * KiB,
      squashMs: 0,
      eraseMs: 0,
      backfillMs: 0,
      backfillBytesPerMinute: 1e9,
      compactPersonRows: true,
    };
    const { catalog, storage } = lake;
    this.compactor = new Compactor({ config, catalog, storage, holder: "compactor", log: () => {} });
  }

  async store(
    list: readonly { id: string; event: string; timestampMs?: number; uuid?: string; flags?: number }[],
    columns: readonly TypedColumn[] = [],
  ): Promise<void> {
    const rows = list.map(({ id, ...rest }, i) =>
      row(this.stored + i, { ...rest, distinctId: id, personId: idOf(id) }),
    );
    this.stored += rows.length;
    this.events.push(...rows);
    await this.lake.flush(rows, [], columns);
  }

  async merge(from: string, into: string): Promise<void> {
    const [source, target] = [this.survivors.get(from)!, this.survivors.get(into)!];
    if (source === target) return;
    const tMs = ++this.versions;
    const moved = IDS.filter((id) => this.survivors.get(id) === source);
    for (const id of moved) {
      this.survivors.set(id, target);
      this.moves.get(id)!.push({ into: idOf(target), tMs, ordinal: 0 });
    }
    const nodes = [...moved, target].map(
      (id): IdentityRow => ({
        kind: "identity",
        teamId: TEAM,
        version: { tMs, source: 0, ordinal: 0 },
        distinctId: id,
        personId: idOf(id),
        survivorId: idOf(target),
        isIdentified: false,
        moves: this.moves.get(id)!,
      }),
    );
    await this.lake.flush([], nodes);
  }

  /** What there is of a person goes; its ids begin anew. */
  async erase(id: string): Promise<void> {
    const survivor = this.survivors.get(id)!;
    const distinctIds = IDS.filter((each) => this.survivors.get(each) === survivor);
    const accepted = { generation: 1, sequences: [] };
    const asked = { teamId: TEAM, personId: idOf(survivor), distinctIds, withEvents: true, accepted, requestedAtMs: 0 };
    expect(await this.lake.catalog.erasePerson(asked)).toBe(true);
    this.events = this.events.filter(({ distinctId }) => !distinctIds.includes(distinctId));
    for (const each of distinctIds) {
      this.survivors.set(each, each);
      this.moves.set(each, []);
    }
  }

  /** One job; false when there is nothing to do. */
  async compact(): Promise<boolean> {
    return this.compactor.step();
  }

  /** Two flushes become one file, whose persons have numbers. */
  async begin(): Promise<void> {
    await this.store(flushOf(["a", "b"]));
    await this.store(flushOf(["c", "a"]));
    await this.compact();
  }

  async happen(what: Happening): Promise<void> {
    // As a worker does, with the columns that the project has.
    if ("store" in what) await this.store(flushOf(what.store, 30), await this.lake.catalog.readLayout(TEAM));
    else if ("merge" in what) await this.merge(...what.merge);
    else if ("erase" in what) await this.erase(what.erase);
    else await this.compact();
  }

  /** Persons by event, of all events and of the even ones. */
  persons(): Record<string, [number, number]> {
    return Object.fromEntries(
      [...Map.groupBy(this.events, ({ event }) => event)].map(([event, own]) => {
        return [event, [this.personsOf(own), this.personsOf(own.filter(({ ordinal }) => ordinal % 2 === 0))]];
      }),
    );
  }

  /** How many persons some events have. */
  personsOf(events: readonly EventRow[]): number {
    return new Set(events.map(({ distinctId }) => this.survivors.get(distinctId))).size;
  }
}
