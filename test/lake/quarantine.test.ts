import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Compactor, SegmentKind } from "../../src/lake/mod.ts";
import { personIdOf, RetryableError } from "../../src/types/mod.ts";
import { row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const FANOUT = 3;

let lake: TestLake;
let compactor: Compactor;
let told: string[];
let n = 0;

beforeEach(async () => {
  lake = await TestLake.open();
  told = [];
  compactor = lake.compactor({ compactFanout: FANOUT, eraseMs: 0 }, { log: (message) => told.push(message) });
});
afterEach(() => lake.close());

async function compactAll(): Promise<void> {
  while (await compactor.step()) await compactor.collect();
  await compactor.collect();
}

const idOf = (distinctId: string) => personIdOf(1, distinctId);

/** A flush of one event of somebody, and that it was seen. */
async function store(distinctId: string): Promise<string> {
  const createdAtMs = Date.now();
  const personId = idOf(distinctId);
  const version = { tMs: createdAtMs, source: 2, ordinal: ++n } as const;
  const subject = { type: "person", distinctId, personId } as const;
  const [events] = await lake.flush(
    [row(++n, { distinctId, personId, createdAtMs })],
    [{ kind: "seen", teamId: 1, subject, atMs: createdAtMs, version }],
  );
  return events!.id;
}

/** The first half of the file is other bytes: the end still says what is in it. */
function spoil(id: string): void {
  const path = join(lake.directory, `${id}.parquet`);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xab, 0, bytes.length >> 1));
}

async function live(kind: SegmentKind) {
  return (await lake.catalog.segmentChanges(0)).added.filter((segment) => segment.kind === kind);
}

const about = (id: string) => told.filter((message) => message.includes(id));
/** The time is over for which a dead compactor keeps a roster to itself. */
const rostersExpire = () => lake.db.write((tx) => tx`delete from leases where name like 'roster/%'`);
const allExpire = () => lake.db.write((tx) => tx`update leases set expires_at_ms = 0`);

describe("a file that cannot be read", () => {
  test("is set aside by name, and the others are merged", async () => {
    const bad = await store("a");
    for (let i = 1; i < FANOUT; i++) await store("b");
    spoil(bad);
    await compactAll();
    expect(about(bad)).toEqual([expect.stringContaining("changed")]);
    expect(await lake.catalog.quarantined()).toEqual([bad]);
    for (let i = 0; i < FANOUT; i++) await store("c");
    await compactAll();
    const others = (await live("events")).filter(({ id }) => id !== bad);
    expect(others.map(({ level }) => level)).toContain(1);
    expect(others.filter(({ level }) => level === 0).length).toBeLessThan(FANOUT);
    expect(about(bad)).toHaveLength(1);
    expect((await lake.catalog.lakeOverview()).setAside).toEqual([bad]);
    expect((await lake.catalog.catalogFacts(1)).setAside).toEqual([bad]);
    expect(await lake.catalog.lakeFacts()).toMatchObject({ segmentsAside: 1 });
  });

  test("is tried again, ever more seldom, and merged once it can be read", async () => {
    const bad = await store("a");
    for (let i = 1; i < FANOUT; i++) await store("b");
    const path = join(lake.directory, `${bad}.parquet`);
    const bytes = readFileSync(path);
    spoil(bad);
    for (let i = 0; i < 2; i++) {
      await compactAll();
      await allExpire();
      expect(await lake.catalog.quarantined()).toEqual([]);
    }
    expect(about(bad).map((message) => message.match(/for \d+ s$/)?.[0])).toEqual(["for 60 s", "for 120 s"]);
    writeFileSync(path, bytes);
    // DuckDB keeps what it has read of a file until its time in seconds is another.
    utimesSync(path, 0, 0);
    await compactAll();
    expect(await live("events")).toMatchObject([{ level: 1, rowCount: FANOUT }]);
  });

  test("does not keep deletions from other files", async () => {
    const first = await store("user");
    const others = [await store("user"), await store("other")];
    const [bad, good] = first < others[0]! ? [first, others[0]!] : [others[0]!, first];
    spoil(bad);
    const erase = { teamId: 1, personId: idOf("user"), distinctIds: ["user"], withEvents: true };
    const accepted = { generation: 1, sequences: [] };
    await lake.catalog.erasePerson({ ...erase, accepted, requestedAtMs: Date.now() });
    await compactAll();
    const left = (await live("events")).map(({ id }) => id);
    expect(left).toContain(bad);
    expect(left).not.toContain(good);
    expect((await lake.catalog.lakeOverview()).erasuresWaiting).toBe(1);
  });

  test("is told when it is one of the log, without which the events cannot be merged", async () => {
    for (let i = 0; i < FANOUT - 1; i++) await store("a");
    const [log] = await live("log");
    rmSync(join(lake.directory, `${log!.id}.parquet`));
    const last = await lake.store([row(++n)]);
    await compactAll();
    expect(about(log!.id).filter((message) => message.includes("missing"))).toHaveLength(1);
    expect((await lake.catalog.quarantined()).sort()).toEqual(
      [log!.id, ...(await live("events")).map(({ id }) => id)].sort(),
    );
    expect(about(last.id)).toHaveLength(1);
  });
});

test("a job that failed for another reason is done again with the same files", async () => {
  for (let i = 0; i < FANOUT; i++) await lake.store([row(++n)]);
  let failures = 2;
  const catalog = {
    ...lake.catalog,
    registerPending: async (files: Parameters<typeof lake.catalog.registerPending>[0]) => {
      if (failures === 2 && failures-- > 0) throw new RetryableError("store_busy", "the record store stayed locked");
      if (failures === 1 && failures-- > 0) throw new Error("Connection closed");
      return lake.catalog.registerPending(files);
    },
  };
  compactor = lake.compactor({ compactFanout: FANOUT }, { catalog });
  await expect(compactor.step()).rejects.toMatchObject({ code: "store_busy" });
  await expect(compactor.step()).rejects.toThrow("Connection closed");
  expect(await lake.catalog.quarantined()).toEqual([]);
  expect(await compactor.step()).toBe(true);
  expect(await live("events")).toHaveLength(1);
});

describe("files during whose compaction the process dies", () => {
  const CONFIG = { compactFanout: FANOUT };

  test("are set aside, and others are merged", async () => {
    for (let i = 0; i < FANOUT; i++) await lake.store([row(++n)]);
    const killers = (await live("events")).map(({ id }) => id).sort();
    await lake.dieCompacting(CONFIG);
    expect(await lake.catalog.quarantined()).toEqual(killers);
    expect(await compactor.step()).toBe(false);
    await rostersExpire();
    for (let i = 0; i < FANOUT; i++) await lake.store([row(++n)]);
    await compactAll();
    const left = await live("events");
    expect(
      left
        .filter(({ level }) => level === 0)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(killers);
    expect(left.filter(({ level }) => level === 1)).toHaveLength(1);
  });

  test("are tried again, ever more seldom and fewer at once, and merged when they do no harm", async () => {
    for (let i = 0; i < 20; i++) await lake.store([row(++n)]);
    const tried: number[] = [];
    for (let i = 0; i < 3; i++) {
      await lake.dieCompacting(CONFIG);
      tried.push((await lake.catalog.quarantined()).length);
      await allExpire();
    }
    // A file that has failed once comes into a job of 16, then of 4.
    expect(tried).toEqual([20, 16, 4]);
    expect((await live("events")).map(({ failures }) => failures).sort()).toEqual([
      ...Array(4).fill(1),
      ...Array(12).fill(2),
      ...Array(4).fill(3),
    ]);
    await compactAll();
    expect(await live("events")).toMatchObject([{ rowCount: 20, failures: 0 }]);
  });

  test("are not set aside when it is only stopped", async () => {
    for (let i = 0; i < FANOUT; i++) await lake.store([row(++n)]);
    const stopping = lake.compactor(CONFIG, {
      catalog: {
        ...lake.catalog,
        registerPending: async () => {
          stopping.stop();
        },
      },
    });
    await expect(stopping.step()).rejects.toThrow("stopping");
    await lake.endClaims();
    expect(await lake.catalog.quarantined()).toEqual([]);
    expect((await live("events")).map(({ failures }) => failures)).toEqual([0, 0, 0]);
  });
});
