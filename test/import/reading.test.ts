import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { parseExact, stringifyExact } from "../../src/import/exact.ts";
import { FileUnreadable, inputsOf, Reader } from "../../src/import/reading/mod.ts";
import { RowRejected } from "../../src/import/types.ts";
import { zipOf } from "./zipFile.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-reading-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const S3 = { env: {} };

interface Read {
  /** `line: JSON`, or `line: !reason`. */
  rows: string[];
  /** Why the rest could not be read. */
  end: string | null;
}

/** Writes a file and reads it as rows. */
async function read(name: string, content: string | Uint8Array, format: "lines" | "table" = "lines"): Promise<Read> {
  const path = join(folder, name);
  writeFileSync(path, content);
  return await readPath(path, format);
}

async function readPath(path: string, format: "lines" | "table"): Promise<Read> {
  const rows: string[] = [];
  const { signal } = new AbortController();
  try {
    for (const input of await inputsOf([path], S3)) {
      const reader = new Reader(input, { format, scratch: folder, signal });
      for await (const batch of reader.rows()) {
        for (const row of batch) {
          try {
            rows.push(`${row.line}: ${stringifyExact(row.value())}`);
          } catch (error) {
            if (!(error instanceof RowRejected)) throw error;
            rows.push(`${row.line}: !${error.reason}`);
          }
        }
      }
    }
  } catch (error) {
    if (!(error instanceof FileUnreadable)) throw error;
    return { rows, end: error.message };
  }
  return { rows, end: null };
}

test("a file comes once, whatever words and links lead to it", async () => {
  const many = join(folder, "many");
  mkdirSync(join(many, "2024"), { recursive: true });
  for (const name of ["a.jsonl", "2024/b.jsonl", ".hidden"]) writeFileSync(join(many, name), "{}\n");
  for (const [name, to] of [
    ["latest", "2024"],
    ["loop", "."],
    ["z.jsonl", "a.jsonl"],
  ] as const)
    symlinkSync(to, join(many, name));
  const names = async (...words: string[]) => (await inputsOf(words, S3)).map(({ name }) => name.slice(many.length));
  expect(await names(many)).toEqual(["/2024/b.jsonl", "/a.jsonl"]);
  expect(await names(join(many, "z.jsonl"), join(many, "latest"), many, `${many}/./a.jsonl`)).toEqual([
    "/z.jsonl",
    "/latest/b.jsonl",
  ]);
  symlinkSync("gone", join(many, "broken"));
  expect(names(many)).rejects.toThrow(`There is no file or folder ${many}/broken.`);
});

const LINES = '{"a":1}\n\n{"a":2}\r\nno json\n[1]\n{"a":3}';
const ROWS = ['1: {"a":1}', '3: {"a":2}', "4: !bad_json", "5: !not_an_object", '6: {"a":3}'];

describe("JSON lines", () => {
  test("are read with their lines, packed or not, whatever their name", async () => {
    expect(await read("a.jsonl", LINES)).toEqual({ rows: ROWS, end: null });
    expect(await read("a.txt", gzipSync(LINES))).toEqual({ rows: ROWS, end: null });
    expect(await read("a.zst", zstdCompressSync(LINES))).toEqual({ rows: ROWS, end: null });
    const members = Buffer.concat([gzipSync('{"a":1}\n'), gzipSync('{"a":2}\n')]);
    expect((await read("two.gz", members)).rows).toEqual(['1: {"a":1}', '2: {"a":2}']);
    expect((await read("mark.jsonl", `\ufeff${LINES}`)).rows).toEqual(ROWS);
    expect(await read("empty.jsonl", "")).toEqual({ rows: [], end: null });
    expect(await read("blank.jsonl", " \n\t\r\n")).toEqual({ rows: [], end: null });
  });

  test("keep all digits of numbers", async () => {
    const line =
      '{"id":12345678901234567890,"n":0.12345678901234567891,"m":9007199254740993,"k":1.5,"t":"99999999999999999999"}';
    expect((await read("digits.jsonl", line)).rows).toEqual([`1: ${line}`]);
    const value = parseExact(line) as { id: unknown };
    expect(value.id).toBe(12345678901234567890n);
  });

  test("that are packed and cut off are read to where they end", async () => {
    const many = Array.from({ length: 50_000 }, (_, i) => `{"i":${i},"r":"${crypto.randomUUID()}"}`).join("\n");
    const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
    for (const packed of [gzipSync(many), zstdCompressSync(many, checked)]) {
      const { rows, end } = await read("cut", packed.subarray(0, packed.length >> 1));
      expect(end).toContain("damaged or ends early");
      for (const [i, row] of rows.slice(0, -1).entries()) expect(row).toStartWith(`${i + 1}: {"i":${i},`);
      const broken = Buffer.from(packed);
      broken.fill(0xff, broken.length >> 1, (broken.length >> 1) + 200);
      expect((await read("broken", broken)).end).toContain("damaged");
    }
  });

  test("in a wrong encoding are rejected, others beside them are not", async () => {
    const latin = Buffer.concat([
      Buffer.from('{"a":"ä"}\n'),
      Buffer.from('{"a":"\xe4"}\n', "latin1"),
      Buffer.from('{"a":"ö"}'),
    ]);
    expect((await read("latin.jsonl", latin)).rows).toEqual(['1: {"a":"ä"}', "2: !bad_encoding", '3: {"a":"ö"}']);
    const wide = await read("wide.jsonl", Buffer.from('\ufeff{"a":1}\n', "utf16le"));
    expect(wide).toMatchObject({ rows: [], end: expect.stringContaining("UTF-16") });
    const elements = await read("latin.json", Buffer.from('[{"a":"\xe4"},\n{"a":"a"}]', "latin1"));
    expect(elements).toEqual({ rows: ["1: !bad_encoding", '2: {"a":"a"}'], end: null });
    const table = await read("latin.csv", Buffer.from("a,b\n1,\xe4\n2,a\n", "latin1"), "table");
    expect(table).toEqual({ rows: ["2: !bad_encoding", '3: {"a":"2","b":"a"}'], end: null });
    const wideTable = await read("wide.csv", Buffer.from("\ufeffa,b\n1,2\n", "utf16le"), "table");
    expect(wideTable).toMatchObject({ rows: [], end: expect.stringContaining("UTF-16") });
  });

  test("come out as they went in, wherever pieces end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), { maxLength: 40 }),
        async (objects) => {
          const texts = objects.map((object) => JSON.stringify(object));
          const { rows } = await read("any.jsonl", texts.join("\n"));
          expect(rows).toEqual(texts.map((text, i) => `${i + 1}: ${text}`));
          const asList = await read("any.json", `[${texts.join(",\n")}]`);
          expect(asList.rows).toEqual(texts.map((text, i) => `${i + 1}: ${text}`));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a list of JSON", () => {
  test("gives its elements, with the lines that they begin on", async () => {
    const text = '\n[\n  {"a": {"b": ["]", "\\""]}},\n  {"a": 2}, {"a":3}\n, 7]\n[{"a":4}]';
    expect(await read("list.json", text)).toEqual({
      rows: ['3: {"a":{"b":["]","\\""]}}', '4: {"a":2}', '4: {"a":3}', "5: !not_an_object", '6: {"a":4}'],
      end: null,
    });
  });

  test("that ends early gives what is there", async () => {
    expect(await read("cut.json", '[{"a":1},{"a":2')).toEqual({
      rows: ['1: {"a":1}'],
      end: "The list of JSON ends early.",
    });
    expect((await read("odd.json", '[{"a":1}] x')).end).toContain("outside of the list");
  });
});

describe("CSV", () => {
  const csv = (text: string, name = "a.csv") => read(name, text, "table");

  test("is read by its first row", async () => {
    expect((await csv("id,name\n1,ada\n2,\n")).rows).toEqual(['2: {"id":"1","name":"ada"}', '3: {"id":"2"}']);
    expect(await csv("id,name\r1,Ada\r2,Eve\r")).toEqual({ rows: [], end: expect.stringContaining("line feeds") });
    expect((await csv('id,"na\r\nme"\r\n1,a\rb\r\n')).rows).toEqual(['3: {"id":"1","na\\r\\nme":"a\\rb"}']);
    expect((await csv("id;na,me;x\r\n1;a,b;2\r\n")).rows).toEqual(['2: {"id":"1","na,me":"a,b","x":"2"}']);
    expect((await csv("id\tname\n1\ta b\n", "a.tsv")).rows).toEqual(['2: {"id":"1","name":"a b"}']);
    expect((await csv('a,b\n"x ""y"" z","1\n2"\n3,4')).rows).toEqual([
      '2: {"a":"x \\"y\\" z","b":"1\\n2"}',
      '4: {"a":"3","b":"4"}',
    ]);
    expect((await csv("a,,a\n1,2,3")).rows).toEqual(['2: {"a":"1","column2":"2","a_2":"3"}']);
    expect((await csv("")).rows).toEqual([]);
  });

  test("with a missing quote loses the rows at fault alone", async () => {
    const rows = ["a,b", "1,2", '"3,4', "5,6", "7,8,9", '1,"x"y', "9,10", '"11","12"', '13,"14'];
    expect((await csv(rows.join("\n"))).rows).toEqual([
      '2: {"a":"1","b":"2"}',
      "3: !unreadable",
      '4: {"a":"5","b":"6"}',
      "5: !unreadable",
      "6: !unreadable",
      '7: {"a":"9","b":"10"}',
      '8: {"a":"11","b":"12"}',
      "9: !unreadable",
    ]);
    const many = Array.from({ length: 200_000 }, (_, i) => `${i},text of row ${i}`);
    const { rows: read } = await csv(["a,b", '"0,open', ...many].join("\n"));
    expect(read.filter((row) => row.includes("!"))).toEqual(["2: !unreadable"]);
    expect(read).toHaveLength(200_001);
  });

  test("comes out as it went in", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", ";", "ä", " ") });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { maxLength: 30 }), async (cells) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = ["x,y", ...cells.map((row) => row.map(quote).join(","))].join("\n");
        const { rows } = await csv(text);
        const wanted = cells.map(([x, y]) => JSON.stringify({ ...(x && { x }), ...(y && { y }) }));
        expect(rows.map((row) => row.slice(row.indexOf(" ") + 1))).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a zip", () => {
  test("gives the rows of its entries, packed once more or not", async () => {
    const zip = zipOf([
      { name: "b/2.json.gz", bytes: gzipSync('{"a":2}\n') },
      { name: "b/", bytes: Buffer.alloc(0) },
      { name: "a/1.jsonl", bytes: Buffer.from('{"a":1}\n') },
      { name: "__MACOSX/1.jsonl", bytes: Buffer.from("x") },
    ]);
    expect(await read("two.zip", zip)).toEqual({ rows: ['1: {"a":1}', '1: {"a":2}'], end: null });
  });

  test("with a directory that lies ends with a sentence", async () => {
    const bytes = Buffer.from('{"a":1}\n');
    const lies = [
      zipOf([{ name: "a.jsonl", bytes, claimedSize: 5 }]),
      zipOf([{ name: "a.jsonl", bytes, claimedSize: 500 }]),
      zipOf([{ name: "a.jsonl", bytes, claimedOffset: 4_000 }]),
      zipOf([{ name: "../a.jsonl", bytes }]),
      zipOf([{ name: "a.jsonl", bytes, claimedEntries: 7 }]),
      Buffer.from("no zip at all"),
      zipOf([{ name: "a.jsonl", bytes }]).subarray(0, 40),
    ];
    for (const zip of lies) expect((await read("lie.zip", zip)).end).toContain("zip");
  });
});

describe("Parquet", () => {
  /** Writes a file by DuckDB itself. */
  async function parquet(name: string, select: string): Promise<string> {
    const path = join(folder, name);
    const database = await DuckDBInstance.create();
    const connection = await database.connect();
    await connection.run(`copy (${select}) to '${path}' (format parquet, row_group_size 2048)`);
    connection.closeSync();
    database.closeSync();
    return path;
  }

  test("gives its values as JSON, times in UTC, integers with all digits", async () => {
    const path = await parquet(
      "types.parquet",
      `select 9007199254740993::bigint as big, 18446744073709551615::ubigint as huge, 1.5::double as d, 'nan'::double as nan,
       timestamp '2024-01-02 03:04:05.123456' as ts, timestamptz '2024-01-02 03:04:05+02' as tz, date '2024-01-02' as day,
       {'a': 1, 'b': [{'c': 'x'}]} as nested, map {'k': 1} as map, encode('ä') as bytes, null::varchar as none, true as flag,
       12.340::decimal(10, 3) as money, uuid '0198b0f0-0000-4000-8000-000000000001' as id, '{"x": 1}' as text, 5 as "odd ""name"`,
    );
    const { rows } = await readPath(path, "table");
    expect(rows).toHaveLength(1);
    expect(parseExact(rows[0]!.slice(3))).toEqual({
      big: 9007199254740993n,
      d: 1.5,
      ts: "2024-01-02T03:04:05.123456Z",
      tz: "2024-01-02T01:04:05.000000Z",
      day: "2024-01-02",
      nested: { a: 1, b: [{ c: "x" }] },
      map: { k: 1 },
      bytes: "ä",
      flag: true,
      money: 12.34,
      id: "0198b0f0-0000-4000-8000-000000000001",
      text: '{"x": 1}',
      'odd "name': 5,
      huge: 18446744073709551615n,
    } as never);
  });

  test("may have bytes, which are text where they can be", async () => {
    const path = await parquet("bytes.parquet", "from (values (encode('ä')), (unhex('ff00')), (null)) t(bytes)");
    expect(await readPath(path, "table")).toEqual({
      rows: ['1: {"bytes":"ä"}', '2: {"bytes":"/wA="}', "3: {}"],
      end: null,
    });
    const nested = await parquet(
      "nested.parquet",
      "select [encode('ä')] as list, {'x': encode('b')} as one, encode('c') as x",
    );
    expect((await readPath(nested, "table")).rows).toEqual(['1: {"list":["ä"],"one":{"x":"b"},"x":"c"}']);
  });

  test("has null for what is no number, inside of lists and structs too", async () => {
    const path = await parquet(
      "infinite.parquet",
      `select [1.5, 'nan'::double, '-inf'::double] as list, {'x': 'inf'::float, 'NaN': '"-Infinity NaN\\'} as one,
       map {'k': 'nan'::double} as map`,
    );
    expect((await readPath(path, "table")).rows).toEqual([
      `1: {"list":[1.5,null,null],"one":{"x":null,"NaN":"\\"-Infinity NaN\\\\"},"map":{"k":null}}`,
    ]);
  });

  test("of any length is read in its order, in pieces, and given up in the middle", async () => {
    const path = await parquet("long.parquet", "select i, repeat('x', 200) as x from range(100000) t(i)");
    const { rows } = await readPath(path, "table");
    expect(rows).toHaveLength(100_000);
    expect(rows[77_776]).toStartWith('77777: {"i":77776,');
    const [input] = await inputsOf([path], S3);
    const { signal } = new AbortController();
    for await (const batch of new Reader(input!, { format: "table", scratch: folder, signal }).rows()) {
      expect(batch.length).toBeLessThan(10_000);
      break;
    }
  });

  test("that is damaged ends with a sentence", async () => {
    const path = await parquet("whole.parquet", "select i, random()::varchar as x from range(50000) t(i)");
    const bytes = readFileSync(path);
    expect((await read("cut.parquet", bytes.subarray(0, bytes.length >> 1), "table")).end).toContain("damaged");
    const middle = Buffer.from(bytes);
    middle.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 2_000);
    const { rows, end } = await read("hole.parquet", middle, "table");
    expect(end).toContain("damaged");
    expect(rows.length).toBeLessThan(50_000);
    expect((await read("none.parquet", "nothing", "table")).end).toContain("damaged");
  });
});
