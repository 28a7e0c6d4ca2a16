import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { KeyFile } from "../../src/lake/duplicates/keyFile.ts";
import { type Catalog, type Compactor, eraseProjects, verifyErased } from "../../src/lake/mod.ts";
import { DAY_MS, type EventRow, type GroupIndex, type LogRow, personIdOf } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { allEvents, NOON, row, sql } from "./support.ts";
import { TestLake } from "./testLake.ts";

const ACCEPTED = { generation: 1, sequences: [] };

let lake: TestLake;
let compactor: Compactor;
let n = 0;

beforeEach(open);
afterEach(() => lake.close());

async function open(): Promise<void> {
  lake = await TestLake.open();
  n = 0;
  compactor = compactorOn(lake.catalog);
}

function compactorOn(catalog: Catalog, eraseMs = 0): Compactor {
  return lake.compactor({ compactFanout: 3, eraseMs }, { catalog });
}

async function compactAll(): Promise<void> {
  while (await compactor.step()) await compactor.collect();
  await compactor.collect();
}

const IMPORTS = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"] as const;

/** Events of a distinct_id, which came with an import or not. */
function events(teamId: number, distinctId: string, count = 1, importId: string | null = null): EventRow[] {
  const own = importId === null ? {} : { properties: JSON.stringify({ plan: "x", $import_id: importId }) };
  return Array.from({ length: count }, () => {
    n++;
    const timestampMs = NOON + (n % 5) * DAY_MS;
    return row(n, { teamId, distinctId, personId: personIdOf(teamId, distinctId), timestampMs, ...own });
  });
}

/** That a distinct_id was seen and has a property. */
function said(teamId: number, distinctId: string, value: string): LogRow[] {
  n++;
  const version = { tMs: NOON + n, source: 2, ordinal: n };
  const subject = { type: "person", distinctId, personId: personIdOf(teamId, distinctId) } as const;
  return [
    { kind: "seen", teamId, subject, atMs: NOON + n, version },
    { kind: "property", teamId, subject, op: "set", key: "name", value: JSON.stringify(value), version },
  ];
}

/** That a group was seen and has a property. */
function described(teamId: number, key: string, property: string, index: GroupIndex = 0): LogRow[] {
  n++;
  const version = { tMs: NOON + n, source: 2, ordinal: n };
  const subject = { type: "group", index, key } as const;
  return [
    { kind: "seen", teamId, subject, atMs: NOON + n, version },
    { kind: "property", teamId, subject, op: "set", key: property, value: "1", version },
  ];
}

/** A merge of `from` into `into`. */
function merged(teamId: number, from: string, into: string): LogRow[] {
  n++;
  const version = { tMs: NOON + n, source: 0, ordinal: n };
  const survivorId = personIdOf(teamId, into);
  const node = (distinctId: string) => {
    const personId = personIdOf(teamId, distinctId);
    const moves = distinctId === into ? [] : [{ into: survivorId, tMs: version.tMs, ordinal: n }];
    return { kind: "identity", teamId, distinctId, personId, survivorId, isIdentified: true, moves, version } as const;
  };
  return [node(from), node(into)];
}

const erasePerson = (teamId: number, distinctId: string, withEvents = true) =>
  lake.catalog.erasePerson({
    teamId,
    personId: personIdOf(teamId, distinctId),
    distinctIds: [distinctId],
    withEvents,
    accepted: ACCEPTED,
    requestedAtMs: Date.now(),
  });

const eraseImport = (teamId: number, importId: string) =>
  lake.catalog.eraseImport({ teamId, importId, accepted: ACCEPTED, requestedAtMs: Date.now() });

const eraseGroup = (teamId: number, key: string, index: GroupIndex = 0) =>
  lake.catalog.eraseGroup({ teamId, index, key, accepted: ACCEPTED, requestedAtMs: Date.now() });

const verify = () => verifyErased({ catalog: lake.catalog, storage: lake.storage, memoryLimitBytes: 256 << 20 });

/** Of each group its type, key and properties. */
const groups = (teamId: number) =>
  lake.ask(teamId, (relations) => {
    return `select index, key, properties from ${relations.groups({ properties: true })} order by 1, 2`;
  });

async function uuids(teamId: number): Promise<string[]> {
  const rows = await lake.ask(teamId, (relations) => `select uuid::varchar from ${allEvents(relations)} order by 1`);
  return rows.map(([uuid]) => String(uuid));
}

const persons = (teamId: number) =>
  lake.ask(teamId, (relations) => {
    const one = relations.persons({ properties: true });
    return `select distinct_id, p.properties from ${relations.distinctIds()} d join ${one} p on p.id = d.person_id order by 1`;
  });

/** Every event in a file of the folder, whatever the catalog says of it; of rows in order of person those that are nowhere else. */
async function onDisk(): Promise<{ team: number; uuid: string }[]> {
  const files = readdirSync(lake.directory).filter((name) => name.endsWith(".parquet"));
  const isCopy = (file: string) => file.endsWith(".persons.parquet");
  const found: { team: number; uuid: string }[] = [];
  for (const file of files.toSorted((a, b) => Number(isCopy(a)) - Number(isCopy(b)))) {
    const columns = await sql(`select name from parquet_schema('${join(lake.directory, file)}')`);
    if (!columns.some(([name]) => name === "uuid")) continue;
    const rows = await sql(`select team_id, uuid::varchar from read_parquet('${join(lake.directory, file)}')`);
    const known = new Set(isCopy(file) ? found.map(({ uuid }) => uuid) : []);
    const read = rows.map(([team, uuid]) => ({ team: Number(team), uuid: String(uuid) }));
    found.push(...read.filter(({ uuid }) => !known.has(uuid)));
  }
  return found.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1));
}

/** Every group that a file of the folder has rows of, whatever the catalog says of it: project, type and key. */
async function groupsOnDisk(): Promise<unknown[][]> {
  const found = new Map<string, unknown[]>();
  for (const file of readdirSync(lake.directory).filter((name) => name.endsWith(".parquet"))) {
    const path = join(lake.directory, file);
    const columns = await sql(`select name from parquet_schema('${path}')`);
    if (!columns.some(([name]) => name === "class")) continue;
    const rows = await sql(`select distinct team_id, class - 2, subject from read_parquet('${path}') where class >= 2`);
    for (const [team, index, key] of rows)
      found.set(JSON.stringify([team, index, key]), [Number(team), Number(index), key]);
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function keysOnDisk(): number {
  const files = readdirSync(lake.directory).filter((name) => name.endsWith(".keys"));
  return files.reduce((sum, name) => sum + new KeyFile(readFileSync(join(lake.directory, name))).keyCount, 0);
}

const unfinished = () =>
  lake.db.read(async (tx) => {
    const rows: unknown[] = await tx`select 1 from erasures where erased_at_ms is null`;
    return rows.length;
  });

describe("deleting a project", () => {
  test("takes its rows out of shared files, removes its own, and empties its tables", async () => {
    const kept = events(1, "a", 3);
    await lake.flush(
      [...kept, ...events(2, "b", 3)],
      [...said(1, "a", "A"), ...said(2, "b", "B"), ...merged(2, "c", "b")],
    );
    await lake.flush(events(2, "b", 2), said(2, "b", "B"));
    await lake.catalog.ensureGroupTypes(2, ["company"]);
    await lake.catalog.growLayout(2, [{ key: "plan", type: "VARCHAR" }]);
    await lake.db.write((tx) => eraseProjects(tx, [2], Date.now()));
    await compactAll();
    expect(await onDisk()).toEqual(kept.map(({ uuid }) => ({ team: 1, uuid })));
    expect(keysOnDisk()).toBe(3);
    expect(await uuids(1)).toEqual(kept.map(({ uuid }) => uuid));
    expect(await persons(1)).toEqual([["a", '{"name":"A"}']]);
    expect(await lake.catalog.readLayout(2)).toEqual([]);
    expect(await lake.catalog.readGroupTypes(2)).toEqual(new Map());
    expect(await unfinished()).toBe(0);
  });

  test("waits for readers, who see every row until they have finished", async () => {
    await lake.store(events(2, "b", 4));
    const pinId = await lake.catalog.holdFiles(60_000);
    await lake.db.write((tx) => eraseProjects(tx, [2], Date.now()));
    await compactAll();
    expect(await onDisk()).toHaveLength(4);
    expect(await unfinished()).toBe(1);
    await lake.catalog.unpin(pinId);
    await compactor.collect();
    expect(await onDisk()).toEqual([]);
    expect(await unfinished()).toBe(0);
  });
});

describe("deleting a person", () => {
  test("hides all its ids at once, before and after files are rewritten; it can come back", async () => {
    const kept = events(1, "other", 2);
    await lake.flush(
      [...kept, ...events(1, "anon", 2), ...events(1, "user", 2)],
      [...said(1, "anon", "x"), ...said(1, "user", "U"), ...said(1, "other", "O"), ...merged(1, "anon", "user")],
    );
    expect(await persons(1)).toHaveLength(3);
    // It lives on in another one, so there is none of this id.
    expect(await erasePerson(1, "anon")).toBe(false);
    expect(await erasePerson(1, "user")).toBe(true);
    const check = async (back: readonly EventRow[], named: string[][]) => {
      const owners = await lake.ask(
        1,
        (r) => `select person_id::varchar from ${allEvents(r)} where distinct_id = 'anon'`,
      );
      expect(owners).toEqual(back.map(({ personId }) => [personId]));
      expect(await uuids(1)).toEqual([...kept, ...back].map(({ uuid }) => uuid));
      expect(await persons(1)).toEqual(named);
    };
    await check([], [["other", '{"name":"O"}']]);
    // A merge is forgotten with the person: this is somebody new.
    const again = events(1, "anon", 1);
    await lake.flush(again, said(1, "anon", "new"));
    const named = [
      ["anon", '{"name":"new"}'],
      ["other", '{"name":"O"}'],
    ];
    await check(again, named);
    await compactAll();
    await check(again, named);
    expect((await onDisk()).map(({ uuid }) => uuid)).toEqual([...kept, ...again].map(({ uuid }) => uuid));
    expect(keysOnDisk()).toBe(3);
    expect(await unfinished()).toBe(0);
  });

  test("can leave its events", async () => {
    const all = events(1, "user", 2);
    await lake.flush(all, said(1, "user", "U"));
    await erasePerson(1, "user", false);
    for (const step of [async () => {}, compactAll]) {
      await step();
      expect(await uuids(1)).toEqual(all.map(({ uuid }) => uuid));
      expect(await persons(1)).toEqual([]);
    }
    expect(await unfinished()).toBe(0);
  });

  test("refuses the commit of a flush that did not know of it", async () => {
    const counts = (teamId: number) => commitOf({ counts: [{ teamId, stored: 0, duplicates: 1, dropped: {} }] });
    await erasePerson(1, "user");
    await expect(lake.catalog.commit(counts(1))).rejects.toMatchObject({ code: "erased_meanwhile", retryable: true });
    await lake.catalog.commit(counts(2));
    const known = (await lake.catalog.waitingErasures(0))!.version;
    await lake.catalog.commit({ ...counts(1), erasedThrough: known });
  });
});

describe("deleting a group", () => {
  const keys = ["acme", `o'"x, \\`, "\u{1f984}", "x".repeat(400)];

  test("hides it at once, whatever its key, before and after files are rewritten, and no other; it can come back", async () => {
    for (const type of ["company", "team"]) await lake.catalog.ensureGroupTypes(1, [type]);
    const all = events(1, "user", 2);
    const others = [...described(1, "other", "a"), ...described(1, "acme", "a", 1), ...described(2, "acme", "a")];
    await lake.flush(all, [...said(1, "user", "U"), ...keys.flatMap((key) => described(1, key, "a")), ...others]);
    expect(await groups(1)).toHaveLength(keys.length + 2);
    for (const key of keys) expect(await eraseGroup(1, key)).toBe(true);
    expect(await eraseGroup(1, "acme", 2)).toBe(false);
    const left = [
      [0, "other", '{"a":1}'],
      [1, "acme", '{"a":1}'],
    ];
    const check = async (expected: unknown[][]) => {
      expect(await groups(1)).toEqual(expected);
      expect(await groups(2)).toEqual([[0, "acme", '{"a":1}']]);
      expect(await persons(1)).toEqual([["user", '{"name":"U"}']]);
      expect(await uuids(1)).toEqual(all.map(({ uuid }) => uuid));
    };
    await check(left);
    await lake.flush([], described(1, "acme", "b"));
    const back = [[0, "acme", '{"b":1}'], ...left];
    await check(back);
    await compactAll();
    await check(back);
    // Files of events were not rewritten for it, and need not be.
    const { erasures } = await lake.catalog.readSnapshot({ teamId: 1, fromMs: null, toMs: null });
    expect(erasures).toEqual([]);
    expect(await groupsOnDisk()).toEqual([
      [1, 0, "acme"],
      [1, 0, "other"],
      [1, 1, "acme"],
      [2, 0, "acme"],
    ]);
    expect(await unfinished()).toBe(0);
  });
});

describe("undoing an import", () => {
  const [a, b] = IMPORTS;

  test("takes its events out of readers' sight at once and out of files soon, and no others; persons stay", async () => {
    const kept = [...events(1, "user", 2), ...events(1, "user", 2, b), ...events(2, "user", 2, a)];
    const nested = row(++n, {
      teamId: 1,
      distinctId: "user",
      personId: personIdOf(1, "user"),
      timestampMs: NOON,
      properties: JSON.stringify({ $import_id: `${a}0`, text: `"$import_id":"${a}"` }),
    });
    const undone = events(1, "user", 3, a);
    await lake.flush([...kept, nested, ...undone], said(1, "user", "U"));
    await eraseImport(1, a);
    const left = [...kept.filter(({ teamId }) => teamId === 1), nested].map(({ uuid }) => uuid).toSorted();
    for (const step of [async () => {}, compactAll]) {
      await step();
      expect(await uuids(1)).toEqual(left);
      expect(await uuids(2)).toHaveLength(2);
      expect(await persons(1)).toEqual([["user", '{"name":"U"}']]);
    }
    expect(await onDisk()).toHaveLength(7);
    expect(await unfinished()).toBe(0);
    // What comes again is stored again.
    await lake.flush(undone, []);
    expect(await uuids(1)).toHaveLength(8);
  });

  test("finds its events in a typed column, which layouts of before may have", async () => {
    const layout = (["plan", "$import_id"] as const).map((key, id) => ({ id, key, type: "VARCHAR" as const }));
    for (const { id, key, type } of layout)
      await lake.db.write(
        (tx) => tx`insert into property_columns (team_id, id, key, type) values (1, ${id}, ${key}, ${type})`,
      );
    const kept = [...events(1, "user", 2), ...events(1, "user", 2, b)];
    const undone = events(1, "user", 3, a);
    // Some files have only the columns of before.
    await lake.store([...kept.slice(0, 2), undone[0]!], layout.slice(0, 1));
    await lake.store([...kept.slice(2), ...undone.slice(1)], layout);
    expect((await verify()).leftovers).toEqual([]);
    await eraseImport(1, a);
    const left = kept.map(({ uuid }) => uuid).toSorted();
    expect((await verify()).leftovers.map(({ rows }) => rows).toSorted()).toEqual([1, 2]);
    for (const step of [async () => {}, compactAll]) {
      await step();
      expect(await uuids(1)).toEqual(left);
    }
    expect((await onDisk()).map(({ uuid }) => uuid)).toEqual(left);
    expect((await verify()).leftovers).toEqual([]);
  });

  test("needs its id in the text: no layout gets a column for it, however often it is read", async () => {
    await lake.store(events(1, "user", 200, a));
    await lake.catalog.noteKeyUses(["$import_id", "plan"].map((key) => ({ teamId: 1, key })));
    await compactor.step();
    await lake.catalog.growLayout(1, [{ key: "$import_id", type: "VARCHAR" }], { isAsked: true });
    expect((await lake.catalog.readLayout(1)).map(({ key }) => key)).toEqual(["plan"]);
  });
});

test("a merge that was deleted is not worked into what came after it", async () => {
  await lake.flush(events(1, "anon", 2), [
    ...said(1, "anon", "x"),
    ...said(1, "user", "U"),
    ...merged(1, "anon", "user"),
  ]);
  await erasePerson(1, "user");
  const again = [...events(1, "anon"), ...events(1, "anon")];
  for (const event of again) await lake.store([event]);
  expect(await compactorOn(lake.catalog, 3_600_000).step()).toBe(true);
  expect((await onDisk()).map(({ uuid }) => uuid)).toContain(again[0]!.uuid);
  const owners = await lake.ask(1, (r) => `select person_id::varchar from ${allEvents(r)}`);
  expect(owners).toEqual(again.map(({ personId }) => [personId]));
});

test("an erasure while files are being merged is not undone by the swap", async () => {
  const kept = events(1, "other", 1);
  for (const batch of [kept, events(1, "user", 2), events(1, "user", 2)]) await lake.store(batch);
  const replaceSegments = async (swap: Parameters<Catalog["replaceSegments"]>[0]) => {
    await erasePerson(1, "user");
    await lake.catalog.replaceSegments(swap);
  };
  expect(await compactorOn({ ...lake.catalog, replaceSegments }).step()).toBe(true);
  expect(await uuids(1)).toEqual(kept.map(({ uuid }) => uuid));
  await compactAll();
  expect((await onDisk()).map(({ uuid }) => uuid)).toEqual(kept.map(({ uuid }) => uuid));
});

/** That a flush set a property of a group. */
interface Told {
  team: number;
  key: string;
  property: string;
}

const keysOf = (told: readonly Told[], of: number) =>
  [...new Set(told.flatMap(({ team, key }) => (team === of ? [key] : [])))].toSorted();

/** As `groups` tells them, each property set by another flush. */
function shownGroups(told: readonly Told[]): unknown[][] {
  const properties = Map.groupBy(told, ({ key }) => key);
  return [...properties]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, own]) => {
      const members = own.map(({ property }) => `"${property}":1`).toSorted();
      return [0, key, `{${members.join(",")}}`];
    });
}

test("whatever is deleted and compacted when, readers see what is left, and in the end nothing else is stored", async () => {
  const team = fc.constantFrom(1, 1, 2);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant("store" as const),
        team,
        id: fc.constantFrom("a", "b"),
        importId: fc.constantFrom(null, ...IMPORTS),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant("import" as const), team, id: fc.constantFrom(...IMPORTS) }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("person" as const), team, id: fc.constantFrom("a", "b") }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("group" as const), team, id: fc.constantFrom("a", "b") }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("project" as const) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("again" as const) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("compact" as const), eraseMs: fc.constantFrom(0, 1e9) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14, size: "max" }), async (steps) => {
      await lake.close();
      await open();
      for (const teamId of [1, 2]) await lake.catalog.ensureGroupTypes(teamId, ["company"]);
      let model: EventRow[] = [];
      let told: Told[] = [];
      const gone = new Set<number>();
      let deleted: EventRow[] = [];
      for (const at of steps) {
        if (at.type === "store" && !gone.has(at.team)) {
          const rows = [...events(at.team, at.id, 1, at.importId), ...events(at.team, "d")];
          const property = `p${n}`;
          await lake.flush(rows, [...said(at.team, at.id, "x"), ...described(at.team, at.id, property)]);
          model.push(...rows);
          told.push({ team: at.team, key: at.id, property });
        } else if (at.type === "group") {
          await eraseGroup(at.team, at.id);
          told = told.filter(({ team, key }) => team !== at.team || key !== at.id);
        } else if (at.type === "person") {
          await erasePerson(at.team, at.id);
          const isIts = ({ teamId, distinctId }: EventRow) => teamId === at.team && distinctId === at.id;
          deleted.push(...model.filter(isIts));
          model = model.filter((event) => !isIts(event));
        } else if (at.type === "import") {
          await eraseImport(at.team, at.id);
          const isIts = ({ teamId, properties }: EventRow) => teamId === at.team && properties.includes(at.id);
          deleted.push(...model.filter(isIts));
          model = model.filter((event) => !isIts(event));
        } else if (at.type === "again") {
          const rows = deleted.filter(({ teamId }) => !gone.has(teamId));
          deleted = [];
          if (rows.length > 0) await lake.flush(rows, []);
          model.push(...rows);
        } else if (at.type === "project") {
          gone.add(2);
          await lake.db.write((tx) => eraseProjects(tx, [2], Date.now()));
          model = model.filter(({ teamId }) => teamId !== 2);
          told = told.filter(({ team }) => team !== 2);
        } else if (at.type === "compact") {
          // Whatever is merged is freed of what was deleted, before that is due by itself too.
          await compactorOn(lake.catalog, at.eraseMs).step();
        }
        const expected = model.filter(({ teamId }) => teamId === 1).map(({ uuid }) => uuid);
        expect(await uuids(1)).toEqual(expected.toSorted());
        const own = told.filter(({ team }) => team === 1);
        if (at.type !== "again") expect(await groups(1)).toEqual(shownGroups(own));
      }
      await compactAll();
      const stored = (await onDisk()).map(({ uuid }) => uuid);
      expect(stored).toEqual(model.map(({ uuid }) => uuid).toSorted());
      expect(keysOnDisk()).toBe(model.length);
      expect(await groupsOnDisk()).toEqual([1, 2].flatMap((team) => keysOf(told, team).map((key) => [team, 0, key])));
      expect(await unfinished()).toBe(0);
    }),
    { numRuns: 12 },
  );
});
