import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { erasedText } from "../../src/commands/lake.ts";
import { type Compactor, eraseProjects, type VerifyOptions, verifyErased, verifyFiles } from "../../src/lake/mod.ts";
import { type GroupIndex, personIdOf, VERSION_SOURCE } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1024 * 1024;

let lake: TestLake;
let compactor: Compactor;
let n = 0;

beforeEach(async () => {
  lake = await TestLake.open();
  compactor = lake.compactor({ eraseMs: 0 });
});
afterEach(() => lake.close());

async function compactAll(): Promise<void> {
  while (await compactor.step());
  await compactor.collect();
}

const options = () => ({ catalog: lake.catalog, storage: lake.storage, memoryLimitBytes: 256 * MiB });
const files = () => verifyFiles(options());
const erased = () => verifyErased(options());
const pathOf = (name: string) => join(lake.directory, name);

/** A flush of events of these distinct_ids, and that they were seen. */
async function store(teamId: number, distinctIds: readonly string[], createdAtMs = Date.now()) {
  const events = distinctIds.map((distinctId) =>
    row(++n, { teamId, distinctId, personId: personIdOf(teamId, distinctId), createdAtMs, properties: '{"a":"x"}' }),
  );
  const log = distinctIds.map((distinctId) => {
    const subject = { type: "person", distinctId, personId: personIdOf(teamId, distinctId) } as const;
    return {
      ...({ kind: "seen", teamId, subject, atMs: createdAtMs } as const),
      version: { tMs: createdAtMs, source: 2, ordinal: ++n },
    };
  });
  const [facts] = await lake.flush(events, log);
  return facts!;
}

describe("verifying files", () => {
  test("finds nothing wrong with what flushes and compactions have written", async () => {
    for (let i = 0; i < 3; i++) await store(1 + (i % 2), [`a${i}`, `b${i}`]);
    await compactAll();
    await store(1, ["c"]);
    expect(await files()).toMatchObject({ rows: 14, withoutChecksum: 0, problems: [] });
    const { segments, sizeBytes } = await files();
    expect(segments).toBeGreaterThan(1);
    expect(sizeBytes).toBe(
      readdirSync(lake.directory, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, { name }) => sum + readFileSync(pathOf(name)).length, 0),
    );
  });

  const broken: Record<string, (id: string) => unknown> = {
    missing: (id) => rmSync(pathOf(`${id}.keys`)),
    changed: (id) => {
      const bytes = readFileSync(pathOf(`${id}.parquet`));
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(pathOf(`${id}.parquet`), bytes);
    },
    rows: (id) => lake.db.write((tx) => tx`update segment_teams set max_ms = max_ms + 1 where segment_id = ${id}`),
    columns: (id) => lake.db.write((tx) => tx`update segments set columns = columns + 1 where id = ${id}`),
    unreadable: async (id) => {
      truncateSync(pathOf(`${id}.parquet`), 10);
      const sizeBytes = 10 + readFileSync(pathOf(`${id}.keys`)).length;
      await lake.db.write((tx) => tx`update segments set size_bytes = ${sizeBytes}, checksum = '' where id = ${id}`);
    },
    keys: async (id) => {
      const other = await store(1, ["a", "b", "c"]);
      copyFileSync(pathOf(`${other.id}.keys`), pathOf(`${id}.keys`));
      const sizeBytes = readFileSync(pathOf(`${id}.parquet`)).length + readFileSync(pathOf(`${id}.keys`)).length;
      await lake.db.write((tx) => tx`update segments set size_bytes = ${sizeBytes}, checksum = '' where id = ${id}`);
    },
  };

  test.each(Object.keys(broken))("tells a file that is %s", async (problem) => {
    const { id } = await store(1, ["a"]);
    await broken[problem]!(id);
    expect((await files()).problems).toMatchObject([{ id, problem }]);
  });

  test("tells files that nobody knows", async () => {
    await store(1, ["a"]);
    await store(1, ["b"]);
    await compactAll();
    const { added: live } = await lake.catalog.segmentChanges(0);
    const [events, log] = (["events", "log"] as const).map((kind) => live.find((segment) => segment.kind === kind)!.id);
    mkdirSync(pathOf("old/older"), { recursive: true });
    mkdirSync(pathOf("spill/1-a"), { recursive: true });
    writeFileSync(pathOf("spill/1-a/duckdb_temp"), "x");
    const strays = [
      ...["stray.parquet", `${events}.bak`, `${events}.activity2.parquet`, `${events}.parquet.tmp`, events!],
      ...[`${log}.keys`, "notes", ".hidden", `old/${events}.parquet`, "old/older/copy.keys"],
    ];
    for (const name of strays) writeFileSync(pathOf(name), "x");
    const { problems } = await files();
    expect(new Set(problems.map(({ problem }) => problem))).toEqual(new Set(["stray"]));
    expect(problems.map(({ id }) => id).sort()).toEqual(strays.sort());
  });

  test("knows files that are being written, and those of readers", async () => {
    const before = await store(1, ["a"]);
    const pinId = await lake.catalog.holdFiles(60_000);
    await store(1, ["b"]);
    await compactAll();
    expect(existsSync(pathOf(`${before.id}.keys`))).toBe(true);
    const pending = { ids: ["half"], writer: "test", generation: 1, epochs: [] };
    await lake.catalog.registerPending(pending);
    for (const suffix of ["raw", "keys.tmp", "parquet.tmp", "parquet"]) writeFileSync(pathOf(`half.${suffix}`), "x");
    expect((await files()).problems).toEqual([]);
    await lake.catalog.unpin(pinId);
  });

  test("holds files for some minutes at most, as long as it runs, and for no longer when it is ended", async () => {
    await store(1, ["a"]);
    const pins = (): Promise<{ expires_at_ms: number }[]> => lake.db.read((tx) => tx`select expires_at_ms from pins`);
    const during = (body: () => Promise<unknown>, changes: Partial<VerifyOptions> = {}) => {
      const catalog = { ...lake.catalog, ...changes.catalog };
      const segmentChanges: typeof catalog.segmentChanges = async (since) => {
        await body();
        return lake.catalog.segmentChanges(since);
      };
      return verifyFiles({ ...options(), ...changes, catalog: { ...catalog, segmentChanges } });
    };

    const held: { expires_at_ms: number }[] = [];
    await during(async () => held.push(...(await pins())));
    expect(held).toHaveLength(1);
    expect(held[0]!.expires_at_ms).toBeLessThan(Date.now() + 10 * 60_000);

    const renewed = Promise.withResolvers<void>();
    const renewPin: typeof lake.catalog.renewPin = async (id, ttlMs) => {
      const isHeld = await lake.catalog.renewPin(id, ttlMs);
      renewed.resolve();
      return isHeld;
    };
    const catalog = { ...lake.catalog, renewPin };
    expect((await during(() => renewed.promise, { catalog, holdMs: 3_000 })).problems).toEqual([]);
    expect(await pins()).toEqual([]);

    const ending = new AbortController();
    const forEver = () => {
      ending.abort(new Error("ended"));
      return new Promise(() => {});
    };
    await expect(during(forEver, { signal: ending.signal })).rejects.toThrow("ended");
    expect(await pins()).toEqual([]);
    const lose = async () => {
      await lake.db.write((tx) => tx`delete from pins`);
      return new Promise(() => {});
    };
    await expect(during(lose, { holdMs: 50 })).rejects.toMatchObject({ code: "files_not_held" });
  });
});

describe("verifying deletions", () => {
  test("tells every place where something of a deleted project is, also a file that came back", async () => {
    const { id } = await store(2, ["a", "b"]);
    await store(1, ["a"]);
    await lake.catalog.ensureGroupTypes(2, ["company"]);
    expect(await erased()).toMatchObject({ projects: 0, leftovers: [] });
    await lake.db.write((tx) => eraseProjects(tx, [2], Date.now()));
    const places = (await erased()).leftovers.map(({ place }) => place.replace(/^.*\./, ""));
    expect(places.sort()).toEqual(["group_types", "keys", "parquet", "parquet"]);
    const copies = [".keys", ".parquet"].map((suffix) => [pathOf(`${id}${suffix}`), pathOf(`copy${suffix}`)] as const);
    for (const [from, to] of copies) copyFileSync(from, to);
    await compactAll();
    expect(existsSync(pathOf(`${id}.parquet`))).toBe(false);
    expect((await erased()).leftovers).toEqual([
      { place: "copy.keys", teamId: 2, rows: 2 },
      { place: "copy.parquet", teamId: 2, rows: 2 },
    ]);
    for (const [, copy] of copies) rmSync(copy);
    expect(await erased()).toMatchObject({ projects: 1, persons: 0, waiting: 0, unreadable: [], leftovers: [] });
    expect((await files()).problems).toEqual([]);
  });

  test("tells rows of a deleted person from those of the same one who came back", async () => {
    const before = Date.now() - 10_000;
    await store(1, ["user", "other"], before);
    const old = (await lake.catalog.segmentChanges(0)).added.map((segment) => segment.id);
    for (const id of old) copyFileSync(pathOf(`${id}.parquet`), pathOf(`copy-${id}.parquet`));
    const erase = { teamId: 1, personId: personIdOf(1, "user"), distinctIds: ["user"], withEvents: true };
    const accepted = { generation: 1, sequences: [] };
    await lake.catalog.erasePerson({ ...erase, accepted, requestedAtMs: before + 5_000 });
    await store(1, ["user"], before + 9_000);
    const rows = async () => (await erased()).leftovers.reduce((sum, left) => sum + left.rows, 0);
    // The event and its row of the log, in the files and in their copies.
    expect(await rows()).toBe(4);
    await compactAll();
    expect(await rows()).toBe(2);
    for (const id of old) rmSync(pathOf(`copy-${id}.parquet`));
    writeFileSync(pathOf("half.parquet.tmp"), "x");
    expect(await erased()).toMatchObject({ persons: 1, waiting: 0, unreadable: ["half.parquet.tmp"], leftovers: [] });
  });
});

describe("verifying deletions of groups", () => {
  const requestedAtMs = Date.now() - 5_000;
  const KEY = `o'"x, \u{1f984}`;
  const tell = (teamId: number, index: GroupIndex, key: string, tMs: number, source: number = VERSION_SOURCE.live) => {
    const subject = { type: "group", index, key } as const;
    const version = { tMs, source, ordinal: ++n };
    return lake.flush(
      [],
      [
        { kind: "seen", teamId, subject, atMs: tMs, version },
        { kind: "property", teamId, subject, op: "set", key: "plan", value: '"x"', version },
      ],
    );
  };

  test("tells rows of a deleted group from others, and from those of the same one that came back", async () => {
    await lake.catalog.ensureGroupTypes(1, ["company", "team"]);
    const [old] = await tell(1, 0, KEY, requestedAtMs - 1_000);
    await tell(1, 1, KEY, requestedAtMs - 1_000);
    await tell(2, 0, KEY, requestedAtMs - 1_000);
    await tell(1, 0, "other", requestedAtMs - 1_000);
    const oldBytes = readFileSync(pathOf(`${old!.id}.parquet`));
    writeFileSync(pathOf("copy.parquet"), oldBytes);
    const accepted = { generation: 1, sequences: [] };
    expect(await lake.catalog.eraseGroup({ teamId: 1, index: 0, key: KEY, accepted, requestedAtMs })).toBe(true);
    await tell(1, 0, KEY, requestedAtMs + 1_000);
    await tell(1, 0, KEY, requestedAtMs - 1_000, VERSION_SOURCE.history);
    const [file, copy] = [`${old!.id}.parquet`, "copy.parquet"].map((place) => ({ place, teamId: 1, rows: 2 }));
    const { leftovers } = await erased();
    expect(leftovers).toHaveLength(2);
    expect(leftovers).toEqual(expect.arrayContaining([file, copy]));
    await compactAll();
    expect(await erased()).toMatchObject({ groups: 1, persons: 0, waiting: 0, leftovers: [copy] });
    rmSync(pathOf("copy.parquet"));
    const report = await erased();
    expect(report).toMatchObject({ groups: 1, returned: 0, unreadable: [], leftovers: [] });
    expect(erasedText(report)).toContain("0 persons, 1 groups");
    // A file that was freed of it has old rows all the same.
    const [live] = (await lake.catalog.segmentChanges(0)).added.filter(({ teamId }) => teamId !== 2);
    writeFileSync(pathOf(`${live!.id}.parquet`), oldBytes);
    expect((await erased()).leftovers).toEqual([{ place: `${live!.id}.parquet`, teamId: 1, rows: 2 }]);
  });
});

describe("verifying deletions of persons in tables", () => {
  const requestedAtMs = Date.now() - 5_000;
  const erase = async (distinctId: string, withEvents = true) => {
    const personId = personIdOf(1, distinctId);
    const accepted = { generation: 1, sequences: [] };
    const o = { teamId: 1, personId, distinctIds: [distinctId], withEvents, accepted, requestedAtMs };
    expect(await lake.catalog.erasePerson(o)).toBe(true);
  };
  const keep = async (distinctId: string, atMs: number) => {
    const [personId, event] = [personIdOf(1, distinctId), JSON.stringify({ distinctId })];
    const node = { teamId: 1, personId, distinctId, survivorId: personId, isIdentified: true, moves: [] };
    const letter = { teamId: 1, lane: "live", partition: 0, sequence: 1, index: 0, reason: "r", detail: "" } as const;
    const warning = { teamId: 1, type: "odd", key: distinctId, source: "capture", details: {}, atMs };
    const commit = commitOf({
      identities: [node, { ...node, distinctId: `${distinctId}2`, personId: personIdOf(1, `${distinctId}2`) }],
      states: ["one", "two"].map((actor) => ({ actor, teamId: 1, distinctId, state: "1" })),
      deadLetters: [{ ...letter, event, distinctId }],
      warnings: [warning],
      erasedThrough: (await lake.catalog.waitingErasures(0))?.version ?? 0,
    });
    await lake.catalog.commit(commit);
    await lake.db.write(async (tx) => {
      await tx`update dead_letters set at_ms = ${atMs} where event = ${event}`;
      await tx`insert into cohort_persons (cohort_id, person_id) values (1, ${personId})`;
    });
  };
  const tables = async () =>
    (await erased()).leftovers.filter(({ place }) => !place.includes(".")).map(({ place, rows }) => [place, rows]);

  test("tells what is kept of them, and nothing of others", async () => {
    await store(1, ["gone", "other"], requestedAtMs - 1_000);
    await keep("other", requestedAtMs - 1_000);
    await keep("gone", requestedAtMs - 1_000);
    await erase("gone");
    await erase("other", false);
    await lake.db.write((tx) => tx`delete from cohort_persons`);
    expect(await tables()).toEqual([]);
    await keep("gone", requestedAtMs - 1_000);
    await lake.db.write(
      (tx) => tx`insert into query_cache (cache_key, team_id, result, size_bytes, data_version, computed_at_ms)
        values ('k', 1, '[]', 2, 0, 0)`,
    );
    expect((await tables()).sort()).toEqual([
      ["actor_states", 2],
      ["cohort_persons", 1],
      ["dead_letters", 1],
      // A node and its survivor.
      ["identities", 1],
      ["ingestion_warnings", 1],
      ["query_cache", 1],
    ]);
    expect(await erased()).toMatchObject({ persons: 2, returned: 0 });
  });

  test("does not take what somebody has who came back for what was left", async () => {
    await store(1, ["gone"], requestedAtMs - 1_000);
    await erase("gone");
    await store(1, ["gone"], requestedAtMs + 1_000);
    await keep("gone", requestedAtMs + 1_000);
    expect(await tables()).toEqual([]);
    expect(await erased()).toMatchObject({ returned: 1 });
    await compactAll();
    expect(await erased()).toMatchObject({ returned: 1, leftovers: [] });
  });

  test("ends when it is told to", async () => {
    await store(1, ["gone"], requestedAtMs - 1_000);
    await erase("gone");
    const ending = new AbortController();
    const recordedErasures = () => {
      ending.abort(new Error("ended"));
      return lake.catalog.recordedErasures();
    };
    const catalog = { ...lake.catalog, recordedErasures };
    await expect(verifyErased({ ...options(), catalog, signal: ending.signal })).rejects.toThrow("ended");
  });

  test("says that nothing was looked for where nothing was ever deleted", async () => {
    await store(1, ["a"]);
    const text = erasedText(await erased());
    expect(text).toContain("Nothing was ever deleted");
    expect(text).not.toContain("nothing is left");
  });
});

test("the overview adds up", async () => {
  await store(1, ["a", "b"]);
  await store(1, ["a"]);
  await lake.flush([row(++n, { teamId: 1 }), row(++n, { teamId: 2 })], []);
  const before = await lake.catalog.lakeOverview();
  expect(before.projects).toMatchObject([
    { teamId: 1, files: 5, sharedFiles: 1, events: 4, logRows: 3, typedEvents: 0 },
    { teamId: 2, files: 1, sharedFiles: 1, events: 1, logRows: 0 },
  ]);
  const total = (parts: { sizeBytes: number }[]) => parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(Math.abs(total(before.projects) - total(before.files))).toBeLessThanOrEqual(2);
  await compactAll();
  const after = await lake.catalog.lakeOverview();
  expect(after.files.filter(({ state }) => state === "live").reduce((sum, { rows }) => sum + rows, 0)).toBe(
    after.projects.reduce((sum, { events, logRows }) => sum + events + logRows, 0),
  );
  expect(after.files.every(({ level }) => level > 0)).toBe(true);
});
