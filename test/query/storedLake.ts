import { expect } from "bun:test";
import { join } from "node:path";
import {
  type ArrivalMark,
  type Arrivals,
  type Compactor,
  type Lake,
  type LakeQuery,
  openLake,
} from "../../src/lake/mod.ts";
import {
  EventFlag,
  type EventRow,
  type IdentityNode,
  type LogRow,
  personIdOf,
  VERSION_SOURCE,
} from "../../src/types/mod.ts";
import { doorConfig } from "../lake/support.ts";
import { TestLake } from "../lake/testLake.ts";
import { commitOf } from "../support/commits.ts";
import type { TestEvent, TestGroup, TestPerson } from "../support/memoryLake.ts";
import { setTimezone } from "../support/timezones.ts";

/** What one project has. Persons are merged from one for each distinct_id into that of the first. */
export interface TestProject {
  events: readonly TestEvent[];
  persons: readonly TestPerson[];
  groups: readonly TestGroup[];
}

/** The lake as it runs: files, catalog, query processes. */
export class StoredLake implements Lake {
  /** Of all queries. */
  readonly sqls: string[] = [];
  /** Of the last query. */
  lastSql = "";
  /** How many walks had their rows in order from journeys, by what told the rows, with rows of other files beside them or not. */
  readonly walks = { name: 0, place: 0, withOthers: 0, withoutNumbers: 0, withMoved: 0, sorted: 0 };
  lastRange: LakeQuery["range"] | null = null;
  /** Without them a query reads what it reads of a lake that has none. */
  hasJourneys = true;
  private ordinal = 0;
  private readonly pins: string[] = [];
  private readonly compactor: Compactor;

  private constructor(
    private readonly stored: TestLake,
    private readonly lake: Lake,
  ) {
    this.compactor = stored.compactor({
      compactTargetBytes: 8 * 1024,
      // Files are never merged with others.
      compactFanout: 1_000,
      backfillBytesPerMinute: 1e12,
    });
  }

  static async open(): Promise<StoredLake> {
    return StoredLake.over(await TestLake.open());
  }

  /** The door to a lake that others fill; both are closed together. */
  static over(stored: TestLake): StoredLake {
    const lake = openLake({
      config: doorConfig(),
      catalog: stored.catalog,
      storage: stored.storage,
      runDirectory: join(stored.runDirectory, "query"),
      // Small walks have several threads, too.
      threads: 2,
      walks: { leastRows: 0, rangeRows: 4, asksBeforeKept: 0 },
      log: () => {},
    });
    return new StoredLake(stored, lake);
  }

  /** One flush of a project's rows, committed. */
  async store(teamId: number, { events, persons, groups }: TestProject): Promise<void> {
    const { catalog, writer } = this.stored;
    const nodes = persons.flatMap((person) => this.nodesOf(teamId, person));
    const rows = events.map((event) => this.eventRow(teamId, event));
    const log: LogRow[] = [
      ...persons.flatMap((person) => this.personRows(teamId, person)),
      ...groups.flatMap((group) => this.groupRows(teamId, group)),
      ...nodes.map((node): LogRow => ({ kind: "identity", version: this.version("identity"), ...node })),
    ];
    const ids = { events: crypto.randomUUID(), log: crypto.randomUUID() };
    const [claim] = await catalog.claim({ owner: "test", generation: 1, partitions: [0] });
    const epochs = [claim!.epoch];
    await catalog.registerPending({ ids: Object.values(ids), writer: "test", generation: 1, epochs });
    const written = await writer.writeFlush(
      { events: [{ id: ids.events, rows, columns: [] }], log: { id: ids.log, rows: log } },
      { generation: 1, level: 0, partitions: [0] },
    );
    const segments = [written.events[0]!.facts!, written.log!.facts!];
    await catalog.commit(commitOf({ epochs, segments, identities: nodes }));
  }

  /** What was stored behind a mark. */
  arrivals(teamId: number, after: ArrivalMark | null): Promise<Arrivals> {
    return this.stored.catalog.arrivalsSince(teamId, after);
  }

  /** Keeps the files of now on disk. */
  async pin(): Promise<void> {
    this.pins.push(await this.stored.catalog.holdFiles(600_000));
  }

  /** Lets them go, and removes what was replaced and no query reads. */
  async unpin(): Promise<void> {
    for (const id of this.pins.splice(0)) await this.stored.catalog.unpin(id);
    await this.compactor.collect();
  }

  /** The zone whose days a project's insights count. */
  setTimezone(teamId: number, timezone: string): Promise<void> {
    return setTimezone(this.stored.db, teamId, timezone);
  }

  /** Has compaction write each file of a project anew, with numbers and activity: all lack a column then. */
  async compact(teamId: number): Promise<void> {
    const { catalog } = this.stored;
    await catalog.growLayout(teamId, [{ key: crypto.randomUUID(), type: "VARCHAR" }], { isAsked: true });
    while (await this.compactor.step()) await this.compactor.collect();
  }

  query(query: LakeQuery) {
    this.lastRange = query.range;
    const sql: LakeQuery["sql"] = (relations) => {
      const given = this.hasJourneys ? relations : Object.create(relations, { journeys: { value: () => null } });
      const statement = query.sql(given);
      this.lastSql = statement.text;
      this.sqls.push(statement.text);
      for (const { journeys } of statement.walks ?? []) {
        this.walks[journeys === null ? "sorted" : journeys.places === null ? "name" : "place"]++;
        if (journeys?.hasOthers) this.walks.withOthers++;
        if (journeys?.hasUnnumbered) this.walks.withoutNumbers++;
        if (journeys?.moved) this.walks.withMoved++;
      }
      return statement;
    };
    return this.lake.query({ ...query, sql });
  }

  async close(): Promise<void> {
    await this.lake.close();
    await this.stored.close();
  }

  private version(lane: "live" | "identity") {
    return { tMs: 1, source: VERSION_SOURCE[lane], ordinal: ++this.ordinal };
  }

  private eventRow(teamId: number, event: TestEvent): EventRow {
    const { properties } = event;
    return {
      teamId,
      uuid: event.uuid ?? crypto.randomUUID(),
      event: event.event,
      distinctId: event.distinctId,
      personId: personIdOf(teamId, event.distinctId),
      timestampMs: event.timestampMs,
      createdAtMs: event.timestampMs,
      lane: "live",
      ordinal: ++this.ordinal,
      properties: typeof properties === "string" ? properties : JSON.stringify(properties ?? {}),
      elementsChain: event.elementsChain ?? "",
      flags: event.personMode === 1 ? EventFlag.Personless : 0,
    };
  }

  private personRows(teamId: number, { distinctIds, properties, createdAtMs }: TestPerson): LogRow[] {
    const subjects = distinctIds.map((distinctId) => ({
      type: "person" as const,
      distinctId,
      personId: personIdOf(teamId, distinctId),
    }));
    return [
      ...subjects.map(
        (subject): LogRow => ({ kind: "seen", teamId, version: this.version("live"), subject, atMs: createdAtMs ?? 0 }),
      ),
      ...this.setRows(teamId, subjects[0]!, properties),
    ];
  }

  private groupRows(teamId: number, { index, key, properties, createdAtMs }: TestGroup): LogRow[] {
    const subject = { type: "group" as const, index, key };
    const seen: LogRow = {
      kind: "seen",
      teamId,
      version: this.version("live"),
      subject,
      atMs: createdAtMs ?? 0,
    };
    return [seen, ...this.setRows(teamId, subject, properties)];
  }

  private setRows(
    teamId: number,
    subject: Extract<LogRow, { kind: "property" }>["subject"],
    properties: Record<string, unknown> = {},
  ): LogRow[] {
    return Object.entries(properties).map(([key, value]) => ({
      kind: "property",
      op: "set",
      teamId,
      version: this.version("live"),
      subject,
      key,
      value: JSON.stringify(value),
    }));
  }

  private nodesOf(teamId: number, { distinctIds, isIdentified = false }: TestPerson): IdentityNode[] {
    if (distinctIds.length === 1 && !isIdentified) return [];
    const survivorId = personIdOf(teamId, distinctIds[0]!);
    return distinctIds.map((distinctId, i) => ({
      teamId,
      distinctId,
      personId: personIdOf(teamId, distinctId),
      survivorId,
      isIdentified,
      moves: i === 0 ? [] : [{ into: survivorId, tMs: 1, ordinal: ++this.ordinal }],
    }));
  }
}

/** Journeys have told walks their rows by name, alone and with rows of other files, of persons with all kinds of numbers. */
export function expectAllWays({ walks }: StoredLake): void {
  const { sorted: _, place: __, ...ways } = walks;
  for (const [way, count] of Object.entries(ways)) expect([way, count > 0]).toEqual([way, true]);
}
