import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type ExportSource, type FileForm, LakeExporter } from "../../src/lake/mod.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { row, sql, tempFolder } from "./support.ts";
import { TestLake } from "./testLake.ts";

const START = Date.UTC(2024, 0, 11);
const folder = tempFolder();
let lake: TestLake;
let exporter: LakeExporter;

const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const text = `${n} "quoted" é \\\\ ${"x".repeat(n % 50)}`.replaceAll('"', "'");
    return row(n, {
      createdAtMs: START + n,
      event: n % 3 === 0 ? "pageview" : "purchase",
      properties: `{"n":${n},"text":"${text}"}`,
    });
  });

beforeAll(async () => {
  lake = await TestLake.open();
  await lake.store(rowsOf(0, 5_000));
  await lake.store(rowsOf(5_000, 5_000));
  // Another project, in a file of its own.
  await lake.store(rowsOf(0, 100).map((event) => ({ ...event, teamId: 2 })));
  exporter = new LakeExporter({ ...lake, memoryLimitBytes: 256 << 20, spillLimitBytes: 1 << 30, scratch: folder.path });
});

afterAll(async () => {
  await exporter.close();
  await lake.close();
  folder.dispose();
});

const EVENTS = { model: "events", fromMs: null, toMs: START + 1_000_000, include: [], exclude: [] } as const;
const PARQUET: FileForm = { format: "Parquet", compression: "zstd", maxPartBytes: null };

/** The files of an export, in a folder of the test's. */
async function files(
  source: ExportSource,
  form: FileForm,
  { signal = new AbortController().signal, teamId = 1 }: { signal?: AbortSignal; teamId?: number } = {},
) {
  const kept: { path: string; bytes: number; records: number }[] = [];
  const to = join(folder.path, crypto.randomUUID());
  const wish = { teamId, source, form, folder: join(folder.path, crypto.randomUUID()), signal };
  const records = await exporter.write(wish, async (part) => {
    const path = `${to}-${kept.length}`;
    await Bun.write(path, Bun.file(part.path));
    kept.push({ ...part, path });
  });
  return { records, kept };
}

const linesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("events in files", () => {
  test("have the columns and types of the model", async () => {
    const { records, kept } = await files(EVENTS, PARQUET);
    expect(records).toBe(10_000);
    expect(kept).toHaveLength(1);
    expect(kept[0]!.records).toBe(10_000);
    const described = await sql(`describe select * from read_parquet('${kept[0]!.path}')`);
    expect(described.map(([name, type]) => [name, type])).toEqual([
      ["uuid", "VARCHAR"],
      ["event", "VARCHAR"],
      ["distinct_id", "VARCHAR"],
      ["person_id", "VARCHAR"],
      ["properties", "VARCHAR"],
      ["person_properties", "VARCHAR"],
      ["elements_chain", "VARCHAR"],
      ["timestamp", "TIMESTAMP WITH TIME ZONE"],
      ["created_at", "TIMESTAMP WITH TIME ZONE"],
      ["_inserted_at", "TIMESTAMP WITH TIME ZONE"],
    ]);
    const [[rows, sum, first]] = (await sql(
      `select count(distinct uuid), sum((properties->>'n')::int), min(epoch_ms(created_at)) from read_parquet('${kept[0]!.path}')`,
    )) as [[unknown, unknown, unknown]];
    expect([Number(rows), Number(sum), Number(first)]).toEqual([10_000, 49_995_000, START]);
  });

  test("of an interval of acceptance, its end not included, and of the names asked for", async () => {
    const wish = { ...EVENTS, fromMs: START + 100, toMs: START + 5_100 };
    expect((await files(wish, PARQUET)).records).toBe(5_000);
    const named = await files({ ...wish, include: ["pageview"] }, PARQUET);
    const others = await files({ ...wish, exclude: ["pageview"] }, PARQUET);
    expect(named.records + others.records).toBe(5_000);
    expect((await files({ ...wish, fromMs: START + 20_000 }, PARQUET)).kept).toEqual([]);
  });

  test.each([null, "gzip", "brotli"] as const)(
    "as lines of JSON, packed with %s, cut at lines",
    async (compression) => {
      const maxPartBytes = compression === null ? 1_000_000 : 200_000;
      const { records, kept } = await files(EVENTS, { format: "JSONLines", compression, maxPartBytes });
      const unpack = { gzip: gunzipSync, brotli: brotliDecompressSync, none: (bytes: Buffer) => bytes }[
        compression ?? "none"
      ];
      const lines = kept.flatMap(({ path, records, bytes }) => {
        const all = readFileSync(path);
        expect(all.length).toBe(bytes);
        expect(bytes).toBeLessThanOrEqual(maxPartBytes);
        const lines = linesOf(unpack(all) as Buffer);
        expect(lines).toHaveLength(records);
        return lines;
      });
      expect(lines).toHaveLength(records);
      expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(10_000);
      const one = lines.find(({ properties }) => properties.n === 4_711);
      expect(one).toMatchObject({
        event: "purchase",
        distinct_id: "user-0",
        properties: { n: 4_711, text: expect.stringContaining("é \\ x") },
        person_properties: {},
        elements_chain: "",
        created_at: "2024-01-11T00:00:04.711000Z",
        timestamp: "2024-01-10T12:00:04.711000Z",
      });
      expect(Object.keys(one)).toEqual([
        "uuid",
        "event",
        "distinct_id",
        "person_id",
        "properties",
        "person_properties",
        "elements_chain",
        "timestamp",
        "created_at",
        "_inserted_at",
      ]);
    },
  );

  test("of an interval in which nobody did anything, there are no persons", async () => {
    const persons = { model: "persons", fromMs: START - 1_000, toMs: START } as const;
    expect(await files(persons, PARQUET)).toEqual({ records: 0, kept: [] });
  });

  test.each([
    ["no time of creation, when it came", 8.64e15, START + 50_000],
    ["a time of creation, then", -8.64e15, 0],
  ])("a person alone with %s", async (_, tMs, version) => {
    const teamId = 1_000 + Math.sign(tMs);
    const subject = { type: "person", distinctId: "alone", personId: personIdOf(teamId, "alone") } as const;
    const seen = { kind: "seen", teamId, subject, atMs: START + 50_000 } as const;
    await lake.flush([], [{ ...seen, version: { tMs, source: 2, ordinal: 1 } }]);
    const form = { ...PARQUET, format: "JSONLines", compression: null } as const;
    const of = (fromMs: number) =>
      files({ model: "persons", fromMs, toMs: fromMs + 1_000 }, form, { teamId }).then(({ kept }) => kept);
    expect(await of(START + 49_000)).toEqual([]);
    const [file] = await of(START + 50_000);
    expect(linesOf(readFileSync(file!.path))).toMatchObject([{ distinct_id: "alone", person_version: version }]);
    expect(await of(START + 51_000)).toEqual([]);
  });

  test("in Parquet files no larger than asked for", async () => {
    const maxPartBytes = 150_000;
    const { records, kept } = await files(EVENTS, { format: "Parquet", compression: null, maxPartBytes });
    expect(kept.length).toBeGreaterThan(3);
    for (const { bytes } of kept) expect(bytes).toBeLessThanOrEqual(maxPartBytes);
    const list = kept.map(({ path }) => `'${path}'`).join(", ");
    expect(await sql(`select count(distinct uuid)::int from read_parquet([${list}])`)).toEqual([[records]]);
  });

  test.each(["zstd", "lz4", "snappy", "gzip", "brotli"] as const)("Parquet packed with %s", async (compression) => {
    const { kept } = await files({ ...EVENTS, toMs: START + 1_000 }, { ...PARQUET, compression });
    expect(await sql(`select count(*)::int from read_parquet('${kept[0]!.path}')`)).toEqual([[1_000]]);
  });

  test("a packing that the format does not have is refused", async () => {
    const asked = files(EVENTS, { format: "JSONLines", compression: "zstd", maxPartBytes: null });
    await expect(asked).rejects.toMatchObject({ code: "invalid_config" });
  });

  test("a statement reads nothing but the lake", async () => {
    const asked = files(
      {
        model: "statement",
        range: { fromMs: null, toMs: null },
        columns: ["text"],
        sql: () => ({ text: "select content from read_text('/etc/hostname')", params: [] }),
      },
      PARQUET,
    );
    await expect(asked).rejects.toThrow("Permission Error");
  });

  test("an export that is stopped ends with the reason, and leaves no files", async () => {
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(files(EVENTS, PARQUET, stop)).rejects.toThrow("enough");
  });
});
