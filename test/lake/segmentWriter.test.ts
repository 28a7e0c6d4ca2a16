import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LocalStore, SegmentWriter } from "../../src/lake/mod.ts";
import { EventFlag, type EventRow } from "../../src/types/mod.ts";
import { NOON, row, sql, tempFolder, writeEvents } from "./support.ts";

const folder = tempFolder();
let writer: SegmentWriter;

beforeAll(() => {
  writer = new SegmentWriter({ storage: new LocalStore(folder.path), memoryLimitBytes: 512 << 20 });
});

afterAll(async () => {
  await writer.close();
  folder.dispose();
});

const OPTIONS = { generation: 1, level: 0, partitions: [0, 3] };

function read(id: string, columns = "*"): Promise<unknown[][]> {
  return sql(`select ${columns} from read_parquet('${join(folder.path, `${id}.parquet`)}')`);
}

describe("writing a segment", () => {
  test("keeps every text exactly", async () => {
    const texts = [
      "plain",
      "unit\x1fseparator",
      "line\nbreak\r\n",
      'quotes " and \\ back\\slashes \\n',
      "emoji 🎉 and \u2028 and é",
      "  blanks  ",
      "NULL",
      "null",
      "\\N",
      "\u0001\u0008\u001e",
      "#comment",
      "'; drop table x; --",
      "x".repeat(200),
    ];
    const properties = [
      "{}",
      '{"a":1.10,"b":1e2,"c":12345678901234567890,"d":-0}',
      '{"q":"\\"\\\\ \\u0000 \\u001f \\ud83c\\udf89 🎉"}',
      `{"deep":${"[".repeat(190)}${"]".repeat(190)}}`,
      `{"big":"${"ü🎉x".repeat(180_000)}"}`,
      '{"a":1,"a":2}',
    ];
    const rows = texts.flatMap((text, i) =>
      properties.map((p, j) =>
        row(i * 10 + j, { event: text, distinctId: `${text}!`, properties: p, elementsChain: `${text};` }),
      ),
    );
    const { facts, rejected } = await writeEvents(writer, "odd", rows, { origin: OPTIONS });
    expect(rejected).toEqual([]);
    expect(facts!.rowCount).toBe(rows.length);
    const stored = await read("odd", "event, distinct_id, properties, elements_chain");
    expect(stored).toEqual(rows.map((r) => [r.event, r.distinctId, r.properties, r.elementsChain]));
  });

  test("keeps the types of all columns", async () => {
    await writeEvents(
      writer,
      "types",
      [row(5, { lane: "history", ordinal: 2 ** 52 + 1, timestampMs: -1, flags: EventFlag.Personless })],
      { origin: OPTIONS },
    );
    const [stored] = await read("types", `*, typeof(uuid), typeof("timestamp"), typeof(lane), typeof(ordinal)`);
    expect(stored).toEqual([
      "1",
      row(5).uuid,
      "purchase",
      "user-5",
      row(5).personId,
      "1969-12-31 23:59:59.999",
      "2024-01-10 12:01:00",
      1,
      String(2 ** 52 + 1),
      '{"n":5}',
      "",
      1,
      "UUID",
      "TIMESTAMP",
      "UTINYINT",
      "BIGINT",
    ]);
  });

  test("puts the rows of a project together, in the order given, and says where", async () => {
    const rows = Array.from({ length: 70_000 }, (_, n) => row(n, { teamId: 3 - (n % 3), timestampMs: NOON - n }));
    const { facts } = await writeEvents(writer, "order", rows, { origin: OPTIONS });
    const stored = await read("order", "team_id, ordinal");
    const expected = [1, 2, 3].flatMap((team) => rows.filter((r) => r.teamId === team));
    expect(stored).toEqual(expected.map((r) => [String(r.teamId), String(r.ordinal)]));
    const count = (team: number) => expected.filter((r) => r.teamId === team).length;
    expect(facts).toMatchObject({
      id: "order",
      level: 0,
      teamId: null,
      generation: 1,
      rowCount: 70_000,
      minMs: NOON - 69_999,
      maxMs: NOON,
      partitions: [0, 3],
    });
    expect(facts!.teams).toEqual([
      { teamId: 1, rowStart: 0, rowCount: count(1), minMs: NOON - 69_998, maxMs: NOON - 2 },
      { teamId: 2, rowStart: count(1), rowCount: count(2), minMs: NOON - 69_997, maxMs: NOON - 1 },
      { teamId: 3, rowStart: count(1) + count(2), rowCount: count(3), minMs: NOON - 69_999, maxMs: NOON },
    ]);
  });

  test("leaves nothing but the two files", async () => {
    const { facts } = await writeEvents(writer, "clean", [row(1), row(2)], { origin: OPTIONS });
    expect(
      readdirSync(folder.path)
        .filter((name) => name.startsWith("clean"))
        .sort(),
    ).toEqual(["clean.keys", "clean.parquet"]);
    expect(facts!.teamId).toBe(1);
    expect(facts!.sizeBytes).toBe(
      Bun.file(join(folder.path, "clean.keys")).size + Bun.file(join(folder.path, "clean.parquet")).size,
    );
  });

  test("sets aside exactly the rows that storage refuses, with the reason", async () => {
    const rows = Array.from({ length: 1_000 }, (_, n) => row(n));
    const bad = new Map<number, Partial<EventRow>>([
      [0, { uuid: "no-uuid" }],
      [17, { timestampMs: 1e16 }],
      [500, { properties: '{"a":1}\n{"b":2}' }],
      [501, { properties: '{"a":"\x1f"}' }],
      [999, { distinctId: "lone \ud800 surrogate" }],
    ]);
    for (const [at, changes] of bad) rows[at] = row(at, changes);
    const { facts, rejected } = await writeEvents(writer, "poison", rows, { origin: OPTIONS });
    expect(new Set(rejected.map((r) => r.row))).toEqual(new Set([...bad.keys()].map((at) => rows[at]!)));
    for (const { reason } of rejected) expect(reason.length).toBeGreaterThan(10);
    expect(facts!.rowCount).toBe(995);
    expect(facts!.teams).toEqual([{ teamId: 1, rowStart: 0, rowCount: 995, minMs: NOON + 1, maxMs: NOON + 998 }]);
    const stored = await read("poison", "ordinal");
    expect(stored.map((r) => Number(r[0]))).toEqual(rows.flatMap((_, n) => (bad.has(n) ? [] : [n])));
  });

  test("writes no file when nothing is left", async () => {
    const { facts, rejected } = await writeEvents(writer, "nothing", [row(1, { uuid: "x" })], { origin: OPTIONS });
    expect(facts).toBeNull();
    expect(rejected.length).toBe(1);
    expect(existsSync(join(folder.path, "nothing.parquet"))).toBe(false);
  });

  test("blames no row when the machine fails", async () => {
    const lost = new SegmentWriter({ storage: new LocalStore(join(folder.path, "gone")), memoryLimitBytes: 64 << 20 });
    await expect(writeEvents(lost, "x", [row(1)], { origin: OPTIONS })).rejects.toMatchObject({
      code: "segment_not_written",
      retryable: true,
    });
    await lost.close();
  });
});
