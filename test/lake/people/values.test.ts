import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GroupIndex, IdentityRow, LogRow, PropertyRow, Subject } from "../../../src/types/mod.ts";
import { personIdOf } from "../../../src/types/mod.ts";
import { TestLake } from "../testLake.ts";

let lake: TestLake;
let lastTeam = 0;

beforeAll(async () => {
  lake = await TestLake.open();
});

afterAll(() => lake.close());

const person = (teamId: number, distinctId: string): Subject => {
  return { type: "person", distinctId, personId: personIdOf(teamId, distinctId) };
};
const group = (index: GroupIndex, key: string): Subject => ({ type: "group", index, key });
const version = (tMs: number) => ({ tMs, source: 2, ordinal: 0 });
const seen = (teamId: number, subject: Subject, tMs: number, atMs: number): LogRow => {
  return { kind: "seen", teamId, subject, version: version(tMs), atMs };
};
function said(teamId: number, subject: Subject, op: PropertyRow["op"], key: string, value: string, tMs = 1): LogRow {
  return { kind: "property", teamId, subject, version: version(tMs), op, key, value };
}

const VALUES = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "1e2",
  "1.10",
  "12345678901234567890",
  "-98765432109876543210",
  "0.1e-7",
  '""',
  '"text"',
  '"quotes \\" and \\\\ and / and \\u0000 and \\n"',
  '"é 🎉 \\ud83c\\udf89 \u2028"',
  '"2024-01-10T12:00:00.000Z"',
  "[]",
  "{}",
  '[1, {"a" : [null]} ,"b"]',
  '{"b":1,"a":{"b":2},"a":3}',
  `"${"long ü".repeat(20_000)}"`,
];

const KEYS = [
  "",
  " ",
  "plan",
  "Plan",
  "PLAN",
  "a.b",
  "*",
  "$.a",
  "/a~b",
  '"',
  '"quoted"',
  "it's; drop table x --",
  "back\\slash",
  "line\nbreak",
  "unit\x1fseparator",
  "\x1e",
  "nul\0",
  "é",
  "e\u0301",
  "🎉",
  "__proto__",
  "constructor",
  "null",
  "NULL",
  "x".repeat(500),
];

describe("values and keys", () => {
  test("come back exactly, one by one and as an object", async () => {
    const teamId = ++lastTeam;
    const ids = ["plain", "quotes ' \" \\", "unit\x1fseparator", "line\nbreak", '"', "🎉", "{}"];
    const rows: LogRow[] = [];
    const valueAt = (i: number, k: number) => VALUES[(i + k) % VALUES.length]!;
    for (const [i, id] of ids.entries()) {
      rows.push(seen(teamId, person(teamId, id), 1, 0));
      for (const [k, key] of KEYS.entries()) rows.push(said(teamId, person(teamId, id), "set", key, valueAt(i, k)));
    }
    const [facts] = await lake.flush([], rows);
    expect(facts).toMatchObject({ kind: "log", rowCount: rows.length, teamId, squashedThrough: 0 });
    for (const [k, key] of KEYS.entries()) {
      const found = await lake.ask(
        teamId,
        (r) =>
          `select d.distinct_id, p.value from ${r.personProperty("$1::VARCHAR")} p join ${r.distinctIds()} d using (person_id)`,
        [key],
      );
      expect(new Map(found as [string, string][])).toEqual(new Map(ids.map((id, i) => [id, valueAt(i, k)])));
    }
    const objects = await lake.ask(
      teamId,
      (r) =>
        `select d.distinct_id, p.properties from ${r.persons({ properties: true })} p join ${r.distinctIds()} d on d.person_id = p.id`,
    );
    expect(objects.length).toBe(ids.length);
    for (const [id, text] of objects as [string, string][]) {
      const i = ids.indexOf(id);
      const entries = Object.entries(JSON.parse(text, (_, value) => value) as Record<string, unknown>);
      expect(new Set(entries.map(([key]) => key))).toEqual(new Set(KEYS));
      for (const [key, value] of entries) expect(value).toEqual(JSON.parse(valueAt(i, KEYS.indexOf(key))));
      for (const k of KEYS.keys()) expect(text).toContain(`:${valueAt(i, k)}`);
    }
  });

  test("that storage refuses are handed back alone", async () => {
    const teamId = ++lastTeam;
    const rows = Array.from({ length: 300 }, (_, n) => said(teamId, person(teamId, `id-${n}`), "set", "x", String(n)));
    rows[7] = said(teamId, person(teamId, "lone \ud800"), "set", "x", "1");
    rows[150] = said(teamId, person(teamId, "id"), "set", "x", "1\n2");
    rows[299] = { ...(rows[299] as PropertyRow), subject: { type: "person", distinctId: "id", personId: "no-uuid" } };
    const { events, log } = await lake.writer.writeFlush(
      { events: [], log: { id: "refused", rows } },
      { generation: 1, level: 0, partitions: [0] },
    );
    expect(events).toEqual([]);
    expect(new Set(log!.rejected.map(({ row }) => row))).toEqual(new Set([rows[7]!, rows[150]!, rows[299]!]));
    for (const { reason } of log!.rejected) expect(reason.length).toBeGreaterThan(10);
    expect(log!.facts!.rowCount).toBe(297);
  });
});

describe("groups", () => {
  test("have properties and a time of their own, by type and key", async () => {
    const [teamId, other] = [++lastTeam, ++lastTeam];
    await lake.flush(
      [],
      [
        seen(teamId, group(0, "acme"), 5, 500),
        said(teamId, group(0, "acme"), "set", "plan", '"old"', 1),
        said(teamId, group(0, "acme"), "set", "gone", "1", 1),
        seen(teamId, group(4, "acme"), 6, 600),
        said(other, group(0, "acme"), "set", "plan", '"other"', 9),
        seen(other, group(0, "acme"), 1, 0),
      ],
    );
    await lake.flush(
      [],
      [
        seen(teamId, group(0, "acme"), 2, 200),
        said(teamId, group(0, "acme"), "set", "plan", '"2024-01-10T12:00:00.000Z"', 3),
        said(teamId, group(0, "acme"), "unset", "gone", "", 4),
        said(teamId, group(4, "acme"), "once", "plan", "1.10", 3),
      ],
    );
    const groups = await lake.ask(
      teamId,
      (r) =>
        `select index, key, epoch_ms(created_at)::integer, properties from ${r.groups({ properties: true })} order by 1`,
    );
    expect(groups).toEqual([
      [0, "acme", 200, '{"plan":"2024-01-10T12:00:00.000Z"}'],
      [4, "acme", 600, '{"plan":1.10}'],
    ]);
    const property = (index: GroupIndex, key: string) =>
      lake.ask(teamId, (r) => `select key, value from ${r.groupProperty(index, "$1::VARCHAR")}`, [key]);
    expect(await property(0, "plan")).toEqual([["acme", '"2024-01-10T12:00:00.000Z"']]);
    expect(await property(0, "gone")).toEqual([]);
    expect(await property(4, "plan")).toEqual([["acme", "1.10"]]);
    expect(await property(1, "plan")).toEqual([]);
    // Nobody is made by what is said of groups.
    expect(await lake.ask(teamId, (r) => `select count(*) from ${r.persons({ properties: false })}`)).toEqual([["0"]]);
  });
});

describe("persons", () => {
  test("are read alone as they are among all", async () => {
    const teamId = ++lastTeam;
    const node = (id: string, into: string, tMs: number): IdentityRow => ({
      kind: "identity",
      teamId,
      version: { tMs, source: 0, ordinal: 1 },
      distinctId: id,
      personId: personIdOf(teamId, id),
      survivorId: personIdOf(teamId, into),
      isIdentified: id === "user",
      moves: id === into ? [] : [{ into: personIdOf(teamId, into), tMs, ordinal: 1 }],
    });
    const ids = ["anon", "user", "later", "alone"];
    await lake.flush([], [node("anon", "user", 5), node("user", "user", 5)]);
    await lake.flush(
      [],
      ids.flatMap((id, i) => [
        seen(teamId, person(teamId, id), 1, i),
        said(teamId, person(teamId, id), "once", "x", `"${id}"`, 2),
        said(teamId, person(teamId, id), "set", id, "1", 3),
      ]),
    );
    // "later" was with "user" once, in an old node, and is with "alone" now.
    await lake.flush([], [node("later", "user", 6), node("later", "alone", 7), node("alone", "alone", 7)]);
    const columns = "id, created_at, is_identified, properties";
    const all = await lake.ask(teamId, (r) => `select ${columns} from ${r.persons({ properties: true })} order by id`);
    expect(all.length).toBe(2);
    for (const row of all) {
      const only = "select $1::uuid";
      const one = await lake.ask(teamId, (r) => `select ${columns} from ${r.persons({ properties: true, only })}`, [
        String(row[0]),
      ]);
      expect(one).toEqual([row]);
      const pairs = (of: string) => `select distinct_id, person_id from ${of} where person_id = $1::uuid order by 1`;
      const own = await lake.ask(teamId, (r) => pairs(r.distinctIds({ only })), [String(row[0])]);
      expect(own).toEqual(await lake.ask(teamId, (r) => pairs(r.distinctIds()), [String(row[0])]));
      expect(own.length).toBe(2);
    }
    const nobody = await lake.ask(
      teamId,
      (r) => `select * from ${r.persons({ properties: true, only: "select $1::uuid" })}`,
      [personIdOf(teamId, "anon")],
    );
    expect(nobody).toEqual([]);
  });
});
