import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance, listValue } from "@duckdb/node-api";
import fc from "fast-check";
import { LocalStore, SegmentWriter } from "../../src/lake/mod.ts";
import { type ColumnType, pointerOf, type TypedColumn } from "../../src/lake/typed/columns.ts";
import { readKey, wholeProperties } from "../../src/lake/typed/read.ts";
import { split, splitVariables } from "../../src/lake/typed/split.ts";
import { exact, KEYS, objectText } from "./jsonTexts.ts";
import { row, tempFolder, writeEvents } from "./support.ts";

const folder = tempFolder();
let engine: DuckDBConnection;
let writer: SegmentWriter;

beforeAll(async () => {
  engine = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  writer = new SegmentWriter({ storage: new LocalStore(folder.path), memoryLimitBytes: 512 << 20 });
});
afterAll(async () => {
  engine.closeSync();
  await writer.close();
  folder.dispose();
});

type Path = [string, ...(string | number)[]];
const PATHS: Path[] = [
  ...KEYS.map((key): Path => [key]),
  ...KEYS.map((key): Path => ["a", key]),
  ["a", 1],
  ["*", 2, "a"],
];

const layout = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom<ColumnType>("VARCHAR", "BOOLEAN", "BIGINT", "DOUBLE")),
    {
      selector: ([key]) => key,
      minLength: 1,
    },
  )
  .map((list): TypedColumn[] => list.map(([key, type], id) => ({ id, key, type })));

type Parameter = (text: string) => string;

/** Runs a statement with bound texts. */
async function rows(sql: (parameter: Parameter) => string): Promise<unknown[][]> {
  const params: string[] = [];
  const text = sql((value) => `$${params.push(value)}::varchar`);
  return (await engine.runAndReadAll(text, params)).getRowsJson() as unknown[][];
}

/** What typed columns and `rest` say of each path, as text and as number. */
function readTyped(columns: readonly TypedColumn[], exceptions: ReadonlySet<number>, paths: Path[]) {
  return rows((parameter) => {
    const read = paths.map((path) => readKey({ columns, exceptions }, path, parameter));
    return `select ${read.flatMap(({ text, number }) => [text, number]).join(", ")} from typed order by n`;
  });
}

/** What the JSON says. */
function readSource(paths: Path[]) {
  return rows((parameter) => {
    const read = paths.map((path) => `json_extract_string(json, ${parameter(pointerOf(path))})`);
    return `select ${read.flatMap((text) => [text, `try_cast(${text} as double)`]).join(", ")} from source order by n`;
  });
}

/** The values in the order of the texts, split into the columns in one or two steps. */
async function splitTexts(texts: readonly string[], columns: readonly TypedColumn[], first: number): Promise<void> {
  for (const [name, value] of Object.entries({
    ...splitVariables(columns.slice(0, first)),
    ...(first < columns.length ? splitVariables(columns.slice(first)) : {}),
  })) {
    await engine.run(`set variable ${name} = $1`, [typeof value === "string" ? value : listValue(value)]);
  }
  await putSource(texts);
  await engine.run(`create or replace table typed as select * from ${split("source", columns.slice(0, first))}`);
  if (first < columns.length) {
    const again = `(select * exclude (rest), rest as json from typed)`;
    await engine.run(`create or replace table typed as select * from ${split(again, columns.slice(first))}`);
  }
}

async function putSource(texts: readonly string[]): Promise<void> {
  await engine.run("create or replace table source (n integer, json varchar)");
  for (const [n, text] of texts.entries()) await engine.run("insert into source values ($1, $2)", [n, text]);
}

/** The same as a flush writes them; gives the columns whose key may stand outside them. */
async function flushTexts(texts: readonly string[], columns: readonly TypedColumn[]): Promise<ReadonlySet<number>> {
  await putSource(texts);
  const rows = texts.map((properties, n) => row(n, { properties, ordinal: n }));
  const { facts, rejected } = await writeEvents(writer, "flush", rows, {
    origin: { generation: 1, level: 0, partitions: [] },
    columns,
  });
  expect(rejected).toEqual([]);
  const file = join(folder.path, "flush.parquet");
  await engine.run(`create or replace table typed as select *, ordinal as n from read_parquet('${file}')`);
  return new Set(facts!.exceptions);
}

describe("typed columns", () => {
  test("a flush takes any JSON object apart so that it reads as before", async () => {
    // Blanks between tokens are all that an accepted event holds of control characters.
    const line = objectText.map((text) => text.replaceAll(/[\n\t]/g, " "));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), layout, async (texts, columns) => {
        const exceptions = await flushTexts(texts, columns);
        const whole = await rows((parameter) => `select ${wholeProperties(columns, parameter)} from typed order by n`);
        texts.forEach((text, n) => {
          expect(exact(whole[n]![0] as string)).toEqual(exact(text));
        });
        expect(await readTyped(columns, exceptions, PATHS)).toEqual(await readSource(PATHS));
      }),
      { numRuns: 100 },
    );
  });

  test("a flush types what is usual, and any number that JavaScript writes", async () => {
    const columns: TypedColumn[] = (["VARCHAR", "BOOLEAN", "BIGINT", "DOUBLE"] as const).map((type, id) => {
      return { id, key: type, type };
    });
    const usual = fc.record({
      VARCHAR: fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/\p{Cc}/gu, "/")),
      BOOLEAN: fc.boolean(),
      BIGINT: fc.maxSafeInteger(),
      DOUBLE: fc.oneof(
        fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 100),
        fc.double({ min: 0.001, max: 1e14, noNaN: true }),
        fc.double({ min: -1e14, max: -0.001, noNaN: true }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(usual, { minLength: 1, maxLength: 200 }), async (values) => {
        const texts = values.map((value) => JSON.stringify(value).replaceAll("/", "\\/"));
        expect(await flushTexts(texts, columns)).toEqual(new Set());
        const stored = await rows(() => "select p0, p1, p2, p3, rest from typed order by n");
        const expected = values.map((v) => [v.VARCHAR, v.BOOLEAN, String(v.BIGINT), v.DOUBLE, "{}"]);
        expect(stored).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  test("any JSON object comes out as it went in, and every key reads as before", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(objectText, { minLength: 1, maxLength: 8 }),
        layout,
        fc.nat(),
        async (texts, columns, at) => {
          await splitTexts(texts, columns, 1 + (at % columns.length));
          const whole = await rows(
            (parameter) => `select ${wholeProperties(columns, parameter)} from typed order by n`,
          );
          texts.forEach((text, n) => {
            expect(exact(whole[n]![0] as string)).toEqual(exact(text));
          });
          const all = new Set(columns.map(({ id }) => id));
          expect(await readTyped(columns, all, PATHS)).toEqual(await readSource(PATHS));
          // Where no row has a key outside its column, the column says it all.
          const [outside] = await rows(() => "select list_distinct(flatten(list(json_keys(rest)))) from typed");
          const keys = new Set((outside![0] ?? []) as string[]);
          const clean = columns.filter(({ key }) => !keys.has(key)).map(({ key }): Path => [key]);
          if (clean.length > 0) expect(await readTyped(columns, new Set(), clean)).toEqual(await readSource(clean));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("what is typed leaves the JSON text", async () => {
    const columns: TypedColumn[] = [
      { id: 0, key: "s", type: "VARCHAR" },
      { id: 1, key: "b", type: "BOOLEAN" },
      { id: 2, key: "i", type: "BIGINT" },
      { id: 3, key: "d", type: "DOUBLE" },
    ];
    const texts = [
      '{"s":"x","b":true,"i":9223372036854775807,"d":1.5,"o":[1]}',
      '{"s":1,"b":"true","i":1.0,"d":20}',
      '{"s":null,"b":0,"i":9223372036854775808,"d":1e2}',
      '{"s":"x","s":"y"}',
      '{"s":"x","n":[-0]}',
    ];
    await splitTexts(texts, columns, 4);
    expect(await rows(() => "select p0, p1, p2, p3, rest from typed order by n")).toEqual([
      ["x", true, "9223372036854775807", 1.5, '{"o":[1]}'],
      [null, null, null, 20, '{"s":1,"b":"true","i":1.0}'],
      [null, null, null, null, '{"s":null,"b":0,"i":9223372036854775808,"d":100.0}'],
      [null, null, null, null, texts[3]],
      [null, null, null, null, texts[4]],
    ]);
  });
});
