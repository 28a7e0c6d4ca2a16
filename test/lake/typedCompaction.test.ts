import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { type Compactor, type KeyPath, pointerOf } from "../../src/lake/mod.ts";
import type { EventRow, IdentityRow } from "../../src/types/mod.ts";
import { exact, KEYS, objectText } from "./jsonTexts.ts";
import { allEvents, row, sql, textConstant } from "./support.ts";
import { TestLake } from "./testLake.ts";

const KiB = 1024;
const TEAM = 1;
const CONFIG = { compactTargetBytes: 4096 * KiB };

let stored: TestLake;
let compactor: Compactor;
let ordinal = 0;

beforeEach(async () => {
  stored = await TestLake.open();
  ordinal = 0;
  compactor = stored.compactor(CONFIG);
});

afterEach(() => stored.close());

async function compactAll(): Promise<void> {
  while (await compactor.step());
}

function rowsOf(texts: readonly string[], change: Partial<EventRow> = {}): EventRow[] {
  return texts.map((properties) => row(ordinal++, { properties, ...change }));
}

async function segments() {
  return (await stored.catalog.segmentChanges(0)).added.filter(({ kind }) => kind === "events");
}

/** The keys of a project's layout with their types. */
async function layout(teamId = TEAM): Promise<Record<string, string>> {
  return Object.fromEntries((await stored.catalog.readLayout(teamId)).map(({ key, type }) => [key, type]));
}

async function properties(teamId = TEAM): Promise<string[]> {
  const found = await stored.ask(
    teamId,
    (relations) => `select properties from ${allEvents(relations)} order by ordinal`,
  );
  return found.map(([text]) => text as string);
}

/** Text and number of each path, in the order of the events. */
function readKeys(paths: readonly KeyPath[], teamId = TEAM): Promise<unknown[][]> {
  const request = { persons: false, properties: false, keys: paths };
  const columns = paths.flatMap((_, i) => [`k${i}`, `n${i}`]);
  return stored.ask(
    teamId,
    (relations) => `select ${columns.join(", ")} from ${relations.events(request, textConstant)} order by ordinal`,
  );
}

/** What the JSON says of them, read without a lake. */
function readJson(texts: readonly string[], paths: readonly KeyPath[]): Promise<unknown[][]> {
  const rows = texts.map((text, n) => `(${n}, ${textConstant(text)})`).join(", ");
  const read = paths.map((path) => `json_extract_string(json, ${textConstant(pointerOf(path))})`);
  const columns = read.flatMap((text) => [text, `try_cast(${text} as double)`]);
  return sql(`select ${columns.join(", ")} from (values ${rows}) t (n, json) order by n`);
}

/** Often enough for columns, and each in one line, as events are kept. */
const repeated = (texts: readonly string[]) =>
  Array.from({ length: 5 }, () => texts.map((text) => text.replaceAll("\n", " "))).flat();

/** Enough of them for a column. */
const many = (text: (i: number) => string, size = 20) => Array.from({ length: size }, (_, i) => text(i));

describe("compaction with typed columns", () => {
  test("gives keys columns of the type that most values have", async () => {
    const texts = many(
      (i) =>
        `{"s":"${i}","i":${i},"d":${i / 4},"b":${i % 2 === 0},"o":{"x":${i}},"mixed":${i < 5 ? '"x"' : i},"Mixed":null}`,
    );
    await stored.store(rowsOf(texts));
    await stored.store(rowsOf(texts));
    await compactAll();
    const columns = await layout();
    expect(columns).toMatchObject({ s: "VARCHAR", i: "BIGINT", d: "DOUBLE", b: "BOOLEAN", mixed: "BIGINT" });
    for (const key of ["o", "Mixed"]) expect(columns).not.toHaveProperty(key);
    for (const key of ["$session_id", "$current_url", "$group_4", "$lib"])
      expect(columns).toHaveProperty([key], "VARCHAR");
    const [only] = await segments();
    expect(only!.columns).toBe(Object.keys(columns).length);
    expect(only!.exceptions).toEqual([Object.keys(columns).indexOf("mixed")]);
    const file = `'${join(stored.directory, `${only!.id}.parquet`)}'`;
    const [[described]] = (await sql(`select decode(value) from parquet_kv_metadata(${file})`)) as [[string]];
    const named = Object.values(JSON.parse(described) as Record<string, { key: string; type: string }>);
    expect(Object.fromEntries(named.map(({ key, type }) => [key, type]))).toEqual(columns);
    const rest = await sql(`select rest from read_parquet(${file}) order by ordinal limit 6`);
    expect(rest.map(([text]) => text)).toEqual([
      ...many((i) => `{"o":{"x":${i}},"Mixed":null,"mixed":"x"}`, 5),
      '{"o":{"x":5},"Mixed":null}',
    ]);
    expect(await properties()).toHaveLength(40);
  });

  test("an amount of a rare event has a column, a key of every event its own has none", async () => {
    const texts = many((i) => `{"own-${i}":1}`, 190);
    await stored.store(rowsOf(texts));
    await stored.store(
      rowsOf(
        many((i) => `{"amount":${i}.5}`, 10),
        { event: "rare" },
      ),
    );
    await compactAll();
    const columns = await layout();
    expect(columns.amount).toBe("DOUBLE");
    expect(Object.keys(columns).filter((key) => key.startsWith("own"))).toEqual([]);
  });

  test("a file grows by the keys that are new, and reads the same on the way", async () => {
    const first = many((i) => `{"a":"${i}","b":${i},"n":-0}`);
    const second = many((i) => `{"a":${i},"c":"${i}","b":1.0}`);
    const third = many((i) => `{"d":true,"c":${i},"a":"x","a":"y","e":{"a":1}}`);
    const all: string[] = [];
    const paths: KeyPath[] = [["a"], ["b"], ["c"], ["d"], ["n"], ["e", "a"], ["missing"]];
    const layouts: number[] = [];
    for (const texts of [first, first, second, third, third, second]) {
      await stored.store(rowsOf(texts));
      all.push(...texts);
      expect((await properties()).map(exact)).toEqual(all.map(exact));
      expect(await readKeys(paths)).toEqual(await readJson(all, paths));
      await compactAll();
      layouts.push(Math.max(...(await segments()).map(({ columns }) => columns)));
      expect((await properties()).map(exact)).toEqual(all.map(exact));
      expect(await readKeys(paths)).toEqual(await readJson(all, paths));
    }
    expect(new Set(layouts).size).toBeGreaterThan(2);
    expect(await layout()).toMatchObject({ a: "VARCHAR", c: "VARCHAR", d: "BOOLEAN" });
  });

  test("projects have layouts of their own, and a shared file has none", async () => {
    const texts = (team: number) => many((i) => `{"of-${team}":"${i}","both":${team === 1 ? i : `"${i}"`}}`);
    await stored.store(rowsOf(texts(1), { teamId: 1 }));
    await stored.store(rowsOf(texts(1), { teamId: 1 }));
    await compactAll();
    expect((await segments())[0]!.columns).toBeGreaterThan(0);
    await stored.store(rowsOf(texts(2), { teamId: 2 }));
    await compactAll();
    const [shared, ...others] = await segments();
    expect(others).toEqual([]);
    expect(shared).toMatchObject({ teamId: null, columns: 0, exceptions: [], rowCount: 60 });
    expect(await layout(1)).toHaveProperty("both", "BIGINT");
    expect(await layout(2)).toEqual({});
    expect((await properties(1)).map(exact)).toEqual([...texts(1), ...texts(1)].map(exact));
    expect((await properties(2)).map(exact)).toEqual(texts(2).map(exact));
    expect(await readKeys([["both"]], 2)).toEqual(await readJson(texts(2), [["both"]]));
  });

  test("text that is no JSON object is kept as it is", async () => {
    const texts = ["[1]", "1", '"x"', "{", "", "null", ...many((i) => `{"a":${i}}`)];
    await stored.store(rowsOf(texts));
    await stored.store(rowsOf(texts));
    await compactAll();
    expect((await segments())[0]!.columns).toBeGreaterThan(0);
    expect(await properties()).toEqual([...texts, ...texts]);
  });

  test("any properties come out as they went in, whatever was flushed, compacted, filled in and squashed when", async () => {
    const texts = fc.array(objectText, { minLength: 1, maxLength: 30 });
    const readable = KEYS.filter((key) => !key.includes("\0"));
    const type = fc.constantFrom("VARCHAR" as const, "BOOLEAN" as const, "BIGINT" as const, "DOUBLE" as const);
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: fc.constant("flush" as const), texts, isTyped: fc.boolean() }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant("grow" as const), key: fc.constantFrom(...readable), type }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("merge" as const) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("compact" as const) }) },
    );
    const paths = readable.map((key): KeyPath => [key]);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
        await stored.close();
        stored = await TestLake.open();
        compactor = stored.compactor({ ...CONFIG, squashMs: 0, backfillBytesPerMinute: 2 ** 40 });
        ordinal = 0;
        const all: string[] = [];
        for (const at of [...steps, { do: "compact" as const }]) {
          if (at.do === "flush") {
            // Often enough for columns.
            const lines = repeated(at.texts);
            const layout = at.isTyped ? await stored.catalog.readLayout(TEAM) : [];
            await stored.store(rowsOf(lines), layout.slice(0, 40));
            all.push(...lines);
          } else if (at.do === "grow") {
            await stored.catalog.growLayout(TEAM, [{ key: at.key, type: at.type }], { isAsked: true });
          } else if (at.do === "merge") await stored.flush([], [moved(++ordinal)]);
          else await compactAll();
          if (at.do !== "flush" && all.length > 0) {
            expect((await properties()).map(exact)).toEqual(all.map(exact));
            expect(await readKeys(paths)).toEqual(await readJson(all, paths));
          }
        }
        const layout = await stored.catalog.readLayout(TEAM);
        const lacking = (await segments()).filter(({ kind, columns }) => kind === "events" && columns < layout.length);
        expect(lacking).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });
});

/** A merge of the persons of two distinct_ids that the events have. */
function moved(tMs: number): IdentityRow {
  const [personId, survivorId] = [row(0).personId, row(1).personId];
  const version = { tMs, source: 0, ordinal: tMs };
  const moves = [{ into: survivorId, tMs, ordinal: tMs }];
  return {
    kind: "identity",
    teamId: TEAM,
    version,
    distinctId: "user-0",
    personId,
    survivorId,
    isIdentified: false,
    moves,
  };
}
