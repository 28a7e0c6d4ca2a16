import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bucket } from "../../src/bucket/mod.ts";
import {
  BucketStore,
  DuplicateIndex,
  eraseProjects,
  LocalStore,
  openLake,
  type Relations,
  type SegmentStore,
  verifyErased,
  verifyFiles,
  type WalkStatement,
} from "../../src/lake/mod.ts";
import { draftPath, fileName, parseFileName, type SegmentFile, SegmentMissing } from "../../src/lake/storage/mod.ts";
import { BucketServer } from "../support/bucketServer.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { ElsewhereStore } from "./elsewhereStore.ts";
import { TEAM } from "./people/support.ts";
import { flushOf, Told } from "./people/told.ts";
import { allEvents, doorConfig, NOON, row, tempFolder, textConstant } from "./support.ts";
import { TestLake } from "./testLake.ts";

const folder = tempFolder();
afterAll(() => folder.dispose());

/** A store, and what a test sees of it. */
interface Seen {
  store: SegmentStore;
  /** Names of the files that it has. */
  published(): string[];
  /** Names of those that are on this machine because somebody reads them. */
  held(): string[];
}

/** By name: opens one that has its work folder in `directory`. */
const STORES: Record<string, (directory: string) => Seen> = {
  "in memory": (directory) => {
    const cache = join(folder.path, crypto.randomUUID());
    const store = new ElsewhereStore(directory, cache);
    return {
      store,
      published: () => [...store.published.values()].map(({ file }) => fileName(file)),
      held: () => readdirSync(cache),
    };
  },
  "a bucket": (directory) => {
    const cache = { directory: join(folder.path, crypto.randomUUID()), maxBytes: 1 << 30, isShared: true };
    const bucket = Bucket.at(`s3://lake/${crypto.randomUUID()}`, server);
    const store = new BucketStore({ bucket, workDirectory: directory, cache, log: console.log });
    const keys = () => [...server.objects.keys()].filter((key) => key.startsWith(bucket.folder));
    return {
      store,
      published: () => keys().map((key) => key.slice(bucket.folder.length)),
      held: () => readdirSync(store.directory),
    };
  },
  "a shared folder": (directory) => {
    const shared = join(folder.path, crypto.randomUUID());
    mkdirSync(shared);
    return { store: new LocalStore(directory, shared), published: () => readdirSync(shared), held: () => [] };
  },
};

const server = await BucketServer.start();
afterAll(() => server[Symbol.asyncDispose]());

/** A lake whose published files are elsewhere. */
async function lakeIn(open: (directory: string) => Seen) {
  let seen!: Seen;
  const lake = await TestLake.open((directory) => {
    seen = open(directory);
    return seen.store;
  });
  return { lake, ...seen };
}

type Asked = Pick<TestLake, "catalog" | "runDirectory" | "storage">;

/** Asks for one number through a door of its own. */
async function ask(
  lake: Asked,
  teamId: number,
  text: (relations: Relations) => string,
  walks: (relations: Relations) => WalkStatement[] = () => [],
): Promise<number> {
  const { storage, catalog, runDirectory } = lake;
  const door = openLake({ config: doorConfig(), catalog, storage, runDirectory, log: () => {} });
  const sql = (relations: Relations) => ({ text: text(relations), params: [], walks: walks(relations) });
  const range = { fromMs: null, toMs: null };
  try {
    const { rowsJson } = await door.query({ teamId, range, sql, deadlineMs: HANG_MS, maxRows: 1 });
    return JSON.parse(rowsJson)[0][0];
  } finally {
    await door.close();
  }
}

const count = (lake: Asked, teamId: number) =>
  ask(lake, teamId, (relations) => `select count(*)::integer from ${allEvents(relations)}`);

/** How many persons a funnel of one step finds in the journeys. */
const walked = (lake: TestLake, teamId: number) =>
  ask(
    lake,
    teamId,
    () => "select count(*)::integer from walk0",
    (relations) => {
      const names = { text: "select event, false as personless, 1 as steps from journey_names", params: [] };
      const told = { names, isValueNamed: false, places: null, keyed: null, made: null, whole: null };
      const journeys = { ...relations.journeys()!, ...told, ids: null, fromMs: null, toMs: null };
      return [{ table: "walk0", text: "", params: [], program: ONE_STEP, journeys }];
    },
  );

const ONE_STEP: WalkStatement["program"] = {
  kind: "funnel",
  steps: 1,
  order: "ordered",
  windowMs: 1_000,
  optional: 0,
  exclusions: [],
  attribution: null,
  bucketStartsMs: null,
};

describe.each(Object.entries(STORES))("a store %s", (_, open) => {
  test("serves flushes, compaction, queries, the duplicate check, verification and erasure", async () => {
    const { lake, published, held } = await lakeIn(open);
    const { storage, catalog, directory } = lake;
    const verified = async () => (await verifyFiles({ catalog, storage, memoryLimitBytes: 256 << 20 })).problems;

    const hourMs = 3_600_000;
    const rows = Array.from({ length: 40 }, (_, n) => row(n, { teamId: 1 + (n % 2), timestampMs: NOON + n * hourMs }));
    for (let from = 0; from < rows.length; from += 10) await lake.store(rows.slice(from, from + 10));
    expect([await count(lake, 1), await verified()]).toEqual([20, []]);

    const compactor = lake.compactor({ eraseMs: 0, compactTargetBytes: 10_000 });
    while (await compactor.step());
    await compactor.collect();
    expect([await count(lake, 1), await count(lake, 2), await verified()]).toEqual([20, 20, []]);
    for (const part of ["rollup", "journey", "personRows"]) {
      expect(published().map((name) => parseFileName(name).part as string)).toContain(part);
    }
    const persons = new Set(rows.filter(({ teamId }) => teamId === 1).map(({ personId }) => personId));
    expect(await walked(lake, 1)).toBe(persons.size);
    expect(held()).toEqual([]);
    expect(readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);

    const index = new DuplicateIndex({ storage, maxKeys: 1_000, filterBytes: 1 << 20 });
    const { added } = await catalog.segmentChanges(0);
    await index.sync(added, { generation: 1, partitions: new Set([0]) });
    expect([...(await index.check([rows[0]!, row(1_000)]))]).toEqual([1, 0]);
    await index.close();

    await lake.db.write((tx) => eraseProjects(tx, [2], Date.now()));
    while (await compactor.step());
    await compactor.collect();
    expect([await count(lake, 1), await count(lake, 2)]).toEqual([20, 0]);
    const { leftovers, unreadable, filesRead } = await verifyErased({ catalog, storage, memoryLimitBytes: 256 << 20 });
    expect([leftovers, unreadable]).toEqual([[], []]);
    expect(filesRead).toBeGreaterThan(0);

    for (const name of published()) await storage.remove(parseFileName(name).id);
    expect(published()).toEqual([]);
    await expect(count(lake, 1)).rejects.toMatchObject({ code: "segment_missing" });
    await lake.close();
  });

  test("serves merges of persons, rosters, and deletions of persons", async () => {
    const { lake, held } = await lakeIn(open);
    const { catalog, storage } = lake;
    const told = new Told(lake);
    await told.begin();
    await told.merge("a", "d");
    await told.merge("d", "c");
    await told.store(flushOf(["a", "b", "e"]));
    await told.erase("b");
    while (await told.compact());
    await lake.compactor().collect();
    const counted = await ask(lake, TEAM, (relations) => {
      const events = relations.events({ persons: true, properties: false, keys: [], numbers: true }, textConstant);
      return `select ${relations.countPersons({ groups: 1 })} from ${events}`;
    });
    expect(counted).toBe(told.personsOf(told.events));
    const { problems } = await verifyFiles({ catalog, storage, memoryLimitBytes: 256 << 20 });
    const { leftovers, persons } = await verifyErased({ catalog, storage, memoryLimitBytes: 256 << 20 });
    expect([problems, leftovers, persons]).toEqual([[], [], 1]);
    expect(held()).toEqual([]);
    await lake.close();
  });
});

test("what a bucket refuses may be asked again: an operator repairs it, and no file is to blame", async () => {
  const bucket = Bucket.at("s3://lake/refused", server);
  const machine = (workDirectory: string) => {
    const cache = { directory: join(folder.path, crypto.randomUUID()), maxBytes: 1 << 30, isShared: true };
    return new BucketStore({ bucket, workDirectory, cache, log: console.log });
  };
  const lake = await TestLake.open(machine);
  const { catalog, runDirectory } = lake;
  for (let n = 1; n <= 8; n++) await lake.store([row(n)]);
  const otherWork = join(folder.path, crypto.randomUUID());
  mkdirSync(otherWork);
  const elsewhere = { catalog, runDirectory, storage: machine(otherWork) };
  const compactor = lake.compactor({}, elsewhere);
  server.faults = () => "denied";
  try {
    const refused = { code: "s3_refused", retryable: true };
    await expect(count(elsewhere, 1)).rejects.toMatchObject(refused);
    server.faults = ({ key }) => (key === "" ? null : "denied");
    await expect(verifyFiles({ ...elsewhere, memoryLimitBytes: 256 << 20 })).rejects.toMatchObject(refused);
    await expect(compactor.step()).rejects.toMatchObject(refused);
    expect(await catalog.quarantined()).toEqual([]);
  } finally {
    server.faults = () => null;
  }
  // A file that was on its way when the bucket took Weir again is still refused.
  const isRead = () =>
    count(elsewhere, 1).then(
      (rows) => rows === 8,
      () => false,
    );
  await until("all rows in an answer", HANG_MS, isRead);
  await lake.close();
});

describe("the local store", () => {
  const store = new LocalStore(folder.path);
  const file: SegmentFile = { id: "a", part: "rows" };

  test("publishes drafts whole, and none is left", async () => {
    writeFileSync(draftPath(store.workDirectory, file), "rows");
    expect(await store.has(store.locate(file))).toBe(false);
    await store.publish([file]);
    expect(Buffer.from(await store.read(store.locate(file))).toString()).toBe("rows");
    expect(await store.has(draftPath(store.workDirectory, file))).toBe(false);
  });

  test("publishes what is there when another draft is missing, and throws", async () => {
    const [there, missing]: SegmentFile[] = [
      { id: "there", part: "keys" },
      { id: "missing", part: "keys" },
    ];
    writeFileSync(draftPath(store.workDirectory, there!), "keys");
    await expect(store.publish([missing!, there!])).rejects.toThrow("ENOENT");
    expect(await store.has(store.locate(there!))).toBe(true);
  });

  test("tells what is gone", async () => {
    const location = store.locate({ id: "gone", part: "rows" });
    await expect(store.open(location)).rejects.toBeInstanceOf(SegmentMissing);
    await expect(store.read(location)).rejects.toMatchObject({ code: "segment_missing", retryable: true });
    await expect(store.map(location)).rejects.toBeInstanceOf(SegmentMissing);
    expect(await store.has(location)).toBe(false);
    await store.remove("gone");
  });

  test("throws what else fails as it comes", async () => {
    const below = join(store.locate({ id: "file", part: "rows" }), "below");
    writeFileSync(store.locate({ id: "file", part: "rows" }), "");
    for (const call of ["open", "read", "map", "has"] as const) {
      await expect(store[call](below)).rejects.toMatchObject({ code: "ENOTDIR" });
    }
  });

  test("refuses ids that are no file names", () => {
    for (const id of ["", "../x", "a.b", "A", "x'"])
      expect(() => store.locate({ id, part: "rows" })).toThrow("segment id");
  });
});
