import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { eraseGroup } from "../../src/intake/eraseGroup.ts";
import { eraseImport } from "../../src/intake/eraseImport.ts";
import { erasePerson } from "../../src/intake/erasePerson.ts";
import { eraseProjects, type Lake, LocalStore, openLake, type Relations } from "../../src/lake/mod.ts";
import { importRequest } from "../../src/persons/mod.ts";
import { partitionOf } from "../../src/stream/mod.ts";
import { type AcceptedEvent, type GroupIndex, personIdOf } from "../../src/types/mod.ts";
import { allEvents } from "../lake/support.ts";
import { HANG_MS } from "../support/processes.ts";
import { event, Rig } from "./rig.ts";

let rig: Rig;
let lake: Lake;
beforeEach(open);
afterEach(close);

async function open(): Promise<void> {
  rig = await Rig.open();
  const { config, catalog, dataDir } = rig;
  const runDirectory = join(dataDir, "run");
  lake = openLake({ config, catalog, storage: new LocalStore(join(dataDir, "lake")), runDirectory, log: () => {} });
}

async function close(): Promise<void> {
  await lake.close();
  await rig.close();
}

const erase = (distinctId: string, withEvents = true) =>
  erasePerson(
    { catalog: rig.catalog, bus: rig.bus, lake, deadlineMs: HANG_MS },
    { teamId: 1, personId: personIdOf(1, distinctId), withEvents, requestedAtMs: Date.now() },
  );

const named = (distinctId: string): AcceptedEvent => ({
  ...event("seen", distinctId),
  properties: `{"$set":{"name":"${distinctId}"},"$browser":"Firefox","serial":1}`,
});

const persons = () =>
  ask(
    (relations) => `select d.distinct_id, p.properties from ${relations.persons({ properties: true })} p
      join ${relations.distinctIds()} d on d.person_id = p.id order by 1`,
  );

const eraseOne = (index: GroupIndex, key: string) =>
  eraseGroup(
    { catalog: rig.catalog, bus: rig.bus, lake, deadlineMs: HANG_MS },
    { teamId: 1, index, key, requestedAtMs: Date.now() },
  );

/** That a group has a plan. */
const described = (key: string | number, plan: string, type = "company"): AcceptedEvent => ({
  ...event("$groupidentify"),
  properties: JSON.stringify({
    ...{ $group_type: type, $group_key: key, $group_set: { [plan]: 1 }, $groups: { [type]: key } },
  }),
});

/** Another distinct id of the same partition: a batch of both is one frame, so one flush. */
function neighbourOf(distinctId: string): string {
  const partition = (id: string) => partitionOf(1, id, rig.config.partitions);
  for (let n = 1; ; n++) if (partition(`other-${n}`) === partition(distinctId)) return `other-${n}`;
}

/** Of each group its type, key and properties. */
const groups = () =>
  ask((relations) => `select index, key, properties from ${relations.groups({ properties: true })} order by 1, 2`);

/** Of each event the group of the first type. */
async function groupsOfEvents(): Promise<unknown[]> {
  const rows = await ask((relations) => `select properties from ${allEvents(relations)}`);
  return rows.map(([properties]) => JSON.parse(String(properties)).$group_0);
}

async function ask(text: (relations: Relations) => string): Promise<unknown[][]> {
  const { rowsJson } = await lake.query({
    teamId: 1,
    range: { fromMs: null, toMs: null },
    sql: (relations) => ({ text: text(relations), params: [] }),
    deadlineMs: HANG_MS,
    maxRows: 100,
  });
  return JSON.parse(rowsJson);
}

/** Waits until so many events are settled in whatever way. */
async function settled(total: number) {
  for (const giveUpAt = Date.now() + 50_000; ; await Bun.sleep(20)) {
    const counts = await rig.catalog.settledCounts(1, 1);
    const dropped = Object.values(counts.dropped).reduce((sum, n) => sum + n, 0);
    if (counts.stored + counts.duplicates + counts.deadLetters + dropped >= total) return counts;
    if (Date.now() > giveUpAt) throw new Error(`${JSON.stringify(counts)}\n${rig.log.join("\n")}`);
  }
}

const FULL = '{"$browser":"Firefox","$initial_browser":"Firefox","name":"user"}';

test("what was accepted before a person was deleted is dropped at the commit, what comes later makes it anew", async () => {
  const worker = await rig.startWorker();
  await rig.publish([named("user")]);
  await settled(1);
  expect(await erase("nobody")).toBe(false);
  await rig.stopWorker(worker);
  await rig.publish([named("user"), named("other")]);
  await rig.publish([named("user")], "history");
  await rig.publisher.publishIdentity(1, [
    importRequest(
      { teamId: 1, uuid: crypto.randomUUID(), nowMs: Date.now() },
      {
        kind: "import",
        distinctIds: ["user", "second"],
        properties: '{"plan":"x"}',
        createdAtMs: null,
        isIdentified: false,
      },
    ),
  ]);
  expect(await erase("user")).toBe(true);
  expect(await rig.rows()).toEqual([]);
  await rig.publish([named("user")]);
  await rig.startWorker();
  expect(await settled(5)).toMatchObject({ stored: 3, dropped: { deleted: 2 } });
  expect((await rig.rows()).map(({ distinctId }) => distinctId).sort()).toEqual(["other", "user"]);
  expect(await persons()).toEqual([
    ["other", FULL.replace("user", "other")],
    ["user", FULL],
  ]);
});

test("what was deleted may be sent again, before it is rewritten too", async () => {
  await rig.startWorker();
  const again = named("user");
  await rig.publish([again]);
  await settled(1);
  await rig.publish([again]);
  expect(await settled(2)).toMatchObject({ stored: 1, duplicates: 1 });
  await erase("user");
  await rig.publish([again]);
  expect(await settled(3)).toMatchObject({ stored: 2, duplicates: 1 });
  await rig.publish([again]);
  expect(await settled(4)).toMatchObject({ stored: 2, duplicates: 2 });
});

test("of an import that is undone what was accepted before is dropped, stored or queued, and nothing else", async () => {
  const importId = crypto.randomUUID();
  const imported = (distinctId: string): AcceptedEvent => ({
    ...event("seen", distinctId),
    properties: `{"$set":{"name":"${distinctId}"},"$import_id":"${importId}"}`,
  });
  const again = imported("stored");
  const worker = await rig.startWorker();
  await rig.publish([again], "history");
  await settled(1);
  await rig.stopWorker(worker);
  await rig.publish([imported("queued")], "history");
  await rig.publish([named("live")]);
  await eraseImport(rig, { teamId: 1, importId, requestedAtMs: Date.now() });
  expect(await rig.rows()).toEqual([]);
  await rig.publish([again], "history");
  await rig.startWorker();
  expect(await settled(4)).toMatchObject({ stored: 3, duplicates: 0, dropped: { deleted: 1 } });
  expect((await rig.rows()).map(({ distinctId }) => distinctId).sort()).toEqual(["live", "stored"]);
});

test("of a deleted group what was accepted before makes none, whatever its key; its events are stored, and what comes later makes it anew", async () => {
  // As events name them, and as they are stored.
  const keys: [string | number, string][] = [
    ["acme", "acme"],
    [`it's "x", \\ ''; drop table events; --`, `it's "x", \\ ''; drop table events; --`],
    ["two\nlines, and \ttabs", "two\nlines, and \ttabs"],
    ["\u{1f984} ünï", "\u{1f984} ünï"],
    ["no\0thing", "no\ufffdthing"],
    [5, "5"],
    ["x".repeat(400), "x".repeat(400)],
  ];
  const all = (plan: string) => keys.map(([key]) => described(key, plan));
  const told = (plan: string) =>
    keys
      .map(([, key]) => [0, key, `{"${plan}":1}`])
      .toSorted(([, a], [, b]) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))));
  const kept = [1, "acme", '{"kept":1}'];
  const worker = await rig.startWorker();
  await rig.publish([...all("old"), described("acme", "kept", "team")]);
  await settled(keys.length + 1);
  expect(await groups()).toEqual([...told("old"), kept]);
  expect([await eraseOne(0, "other"), await eraseOne(4, "acme")]).toEqual([false, false]);
  await rig.stopWorker(worker);
  for (const lane of ["live", "history", "overflow"] as const) await rig.publish(all(lane), lane);
  for (const [, key] of keys) expect(await eraseOne(0, key)).toBe(true);
  expect(await groups()).toEqual([kept]);
  expect(await eraseOne(0, "acme")).toBe(false);
  await rig.startWorker();
  const stored = 4 * keys.length + 1;
  expect(await settled(stored)).toMatchObject({ stored, dropped: {} });
  expect(await groups()).toEqual([kept]);
  const named = await groupsOfEvents();
  for (const [, key] of keys) expect(named.filter((name) => name === key)).toHaveLength(4);
  await rig.publish(all("new"));
  await settled(stored + keys.length);
  expect(await groups()).toEqual([...told("new"), kept]);
});

test("a worker forgets what it knows of a deleted person", async () => {
  await rig.startWorker();
  for (let round = 1; round <= 3; round++) {
    await rig.publish([named("user")]);
    await settled(round);
    expect(await persons()).toEqual([["user", FULL]]);
    await erase("user", round === 1);
    expect(await persons()).toEqual([]);
    expect(await rig.rows()).toHaveLength(round === 1 ? 0 : round - 1);
  }
});

test.each(["registerPending", "commit"] as const)(
  "a flush starts again when something of it is deleted at its %s",
  async (when) => {
    const first = await rig.startWorker();
    await rig.publish([named("user")]);
    await settled(1);
    await rig.stopWorker(first);
    const other = neighbourOf("user");
    await rig.publish([named("user"), named(other)]);
    let tries = 0;
    const method = rig.catalog[when] as (facts: object) => Promise<never>;
    const erasing = async (facts: object) => {
      if (tries++ === 0) expect(await erase("user")).toBe(true);
      return method(facts);
    };
    await rig.startWorker({ catalog: { ...rig.catalog, [when]: erasing } });
    expect(await settled(3)).toMatchObject({ stored: 2, dropped: { deleted: 1 } });
    expect(tries).toBe(2);
    expect((await rig.rows()).map(({ distinctId }) => distinctId)).toEqual([other]);
  },
);

test.each(["registerPending", "commit"] as const)(
  "a flush starts again when a group that it describes is deleted at its %s",
  async (when) => {
    const first = await rig.startWorker();
    await rig.publish([described("acme", "old"), described("acme", "kept", "team")]);
    await settled(2);
    await rig.stopWorker(first);
    const newer = described("acme", "newer");
    await rig.publish([newer, named(neighbourOf(newer.distinctId))]);
    let tries = 0;
    const method = rig.catalog[when] as (facts: object) => Promise<never>;
    const erasing = async (facts: object) => {
      if (tries++ === 0) expect(await eraseOne(0, "acme")).toBe(true);
      return method(facts);
    };
    await rig.startWorker({ catalog: { ...rig.catalog, [when]: erasing } });
    expect(await settled(4)).toMatchObject({ stored: 4, dropped: {} });
    expect(tries).toBe(2);
    expect(await groups()).toEqual([[1, "acme", '{"kept":1}']]);
  },
);

test("nothing of a deleted project is stored, and every event of it is counted", async () => {
  const worker = await rig.startWorker();
  await rig.publish([named("a"), named("b")]);
  await settled(2);
  await rig.stopWorker(worker);
  await rig.publish([named("a"), named("c")]);
  const warnings = [{ type: "odd", details: { distinct_id: "a" } }];
  await rig.publisher.publish({ teamId: 1, lane: "live", events: [named("a")], dropped: {}, warnings });
  await rig.db.write((tx) => eraseProjects(tx, [1], Date.now()));
  await rig.publish([named("d")]);
  await rig.startWorker();
  expect(await settled(6)).toMatchObject({ stored: 2, dropped: { deleted: 4 } });
  expect((await rig.catalog.readWarnings(1, { limit: 9, offset: 0 })).count).toBe(0);
});
