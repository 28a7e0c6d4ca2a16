import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseExact, stringifyExact } from "../../../src/import/exact.ts";
import { Fields } from "../../../src/import/fields.ts";
import { mapRow } from "../../../src/import/sources/file/event.ts";
import { inspect } from "../../../src/import/sources/file/inspect.ts";
import { mappingIn, readMapping } from "../../../src/import/sources/file/mapping.ts";
import { readTime } from "../../../src/import/sources/file/time.ts";
import { type ImportedEvent, RowRejected } from "../../../src/import/types.ts";
import type { JsonObject } from "../../../src/types/mod.ts";

const BASE = { event: "name", distinct_id: "user", timestamp: "at" };
const ROW = { name: "bought", user: "ada", at: "2024-05-06T07:08:09.123Z" };

const map = (row: object, mapping: object = {}, isText = false) =>
  mapRow(new Fields(row as JsonObject), mappingIn({ ...BASE, ...mapping } as JsonObject), isText);

function eventOf(row: object, mapping: object = {}, isText = false): ImportedEvent {
  const mapped = map(row, mapping, isText);
  if (!("event" in mapped)) throw new Error("the row is no event");
  return mapped.event;
}

function rejectOf(row: object, mapping: object = {}): string {
  try {
    map(row, mapping);
    return "none";
  } catch (error) {
    if (error instanceof RowRejected) return error.reason;
    throw error;
  }
}

describe("a mapping", () => {
  test("names events by a column, a constant or a text with columns", () => {
    expect(eventOf(ROW).event).toBe("bought");
    expect(eventOf(ROW, { event: "=purchase" }).event).toBe("purchase");
    expect(eventOf(ROW, { event: "{user}_{name}!" }).event).toBe("ada_bought!");
    expect(rejectOf({ ...ROW, name: null })).toBe("no_event");
    expect(rejectOf(ROW, { event: "{kind}_{name}" })).toBe("no_event");
  });

  test("takes the first id that there is, and refuses rows without one", () => {
    const mapping = { distinct_id: ["user_id", "anon", "deep.id"] };
    expect(eventOf({ ...ROW, anon: 7 }, mapping).distinct_id).toBe("7");
    expect(eventOf({ ...ROW, user_id: "u", anon: 7 }, mapping).distinct_id).toBe("u");
    expect(eventOf({ ...ROW, deep: { id: "d" } }, mapping).distinct_id).toBe("d");
    expect(eventOf({ ...ROW, anon: parseExact("12345678901234567890") }, mapping).distinct_id).toBe(
      "12345678901234567890",
    );
    for (const none of ["", null, {}, []]) expect(rejectOf({ ...ROW, anon: none }, mapping)).toBe("no_id");
  });

  test("chooses, renames and types properties", () => {
    const row = {
      ...ROW,
      page: "/x",
      amount: "1.50",
      zip: "01234",
      flag: "yes",
      more: '{"a":1}',
      props: { b: 2, page: "y" },
    };
    expect(eventOf(row).properties).toMatchObject({ page: "/x", amount: "1.50", props: { b: 2 } });
    expect(eventOf(row).properties).not.toHaveProperty("name");
    expect(eventOf(row, { properties: "page zip" }).properties).toEqual({ page: "/x", zip: "01234" });
    expect(eventOf(row, { properties: "* -props -more -flag -zip -amount" }).properties).toEqual({
      ...ROW,
      page: "/x",
    });
    expect(eventOf(row, { properties: ["props.*", "-page"] }).properties).toEqual({ b: 2 });
    const types = { amount: "number", zip: "text", flag: "boolean", more: "json" };
    expect(
      stringifyExact(
        eventOf(row, { properties: "amount zip flag more", types, rename: { zip: "$postal" } }).properties,
      ),
    ).toBe('{"amount":1.50,"$postal":"01234","flag":true,"more":{"a":1}}');
  });

  test("finds numbers among texts, with their digits", () => {
    const cells = { a: "12", b: "-1.50", c: "007", d: "true", e: "1e5", f: "12345678901234567890", g: "+1", h: "1." };
    const properties = eventOf({ ...ROW, ...cells }, {}, true).properties;
    expect(stringifyExact(properties)).toBe(
      '{"a":12,"b":-1.50,"c":"007","d":true,"e":"1e5","f":"12345678901234567890","g":"+1","h":"1."}',
    );
  });

  test("sets persons and groups", () => {
    const row = { ...ROW, email: "a@b.c", plan: "free", since: "2020", org: 5 };
    const mapping = {
      properties: "plan",
      set: ["email"],
      set_once: { first_seen: "since" },
      groups: { company: "org", team: "absent" },
    };
    expect(eventOf(row, mapping).properties).toEqual({
      plan: "free",
      $set: { email: "a@b.c" },
      $set_once: { first_seen: "2020" },
      $groups: { company: "5" },
    });
  });

  test("links an anonymous id and a user once, at the time of the row", () => {
    const mapped = map({ ...ROW, anon: "x" }, { link: { anonymous: "anon", user: "user" } });
    const firsts = "firsts" in mapped ? (mapped.firsts ?? []) : [];
    expect(firsts).toMatchObject([
      {
        atMs: Date.parse(ROW.at),
        event: { event: "$identify", distinct_id: "ada", properties: { $anon_distinct_id: "x" } },
        link: { device: "x", user: "ada" },
      },
    ]);
    expect(map(ROW, { link: { anonymous: "anon", user: "user" } })).toMatchObject({ firsts: [] });
  });

  test("leaves rows out by a value", () => {
    const drop = [
      { column: "env", is: ["test", null] },
      { column: "n", is_not: 1 },
    ];
    expect(map({ ...ROW, env: "test", n: 1 }, { drop })).toHaveProperty("leftOut");
    expect(map({ ...ROW, n: 1 }, { drop })).toHaveProperty("leftOut");
    expect(map({ ...ROW, env: "prod", n: 2 }, { drop })).toHaveProperty("leftOut");
    expect(map({ ...ROW, env: "prod", n: 1 }, { drop })).toHaveProperty("event");
  });

  test("makes uuids of ids, or of all that an event is", () => {
    const uuid = "0198B0F0-0000-4000-8000-000000000001";
    expect(eventOf({ ...ROW, id: uuid }, { uuid: "id" }).uuid).toBe(uuid.toLowerCase());
    expect(eventOf({ ...ROW, id: 7 }, { uuid: "id" }).uuid).toBe(
      eventOf({ ...ROW, id: "7", x: 1 }, { uuid: "id" }).uuid,
    );
    expect(eventOf({ ...ROW, a: 1, b: { c: 2, d: 3 } }).uuid).toBe(eventOf({ b: { d: 3, c: 2 }, a: 1, ...ROW }).uuid);
    expect(eventOf({ ...ROW, a: 1 }).uuid).not.toBe(eventOf({ ...ROW, a: "1" }).uuid);
    // The uuids of stored events must not change from version to version.
    expect(eventOf(ROW).uuid).toBe(eventOf(JSON.parse(JSON.stringify(ROW))).uuid);
  });

  test("that is wrong is refused with the member at fault", () => {
    const wrong: [string, string][] = [
      ["{", "is no JSON"],
      ["[]", "must hold a JSON object"],
      ['{"even": "x"}', 'no member "even"'],
      [JSON.stringify({ ...BASE, event: 5 }), '"event" must be a column'],
      [JSON.stringify({ ...BASE, distinct_id: [] }), '"distinct_id" must be a column'],
      [JSON.stringify({ ...BASE, timestamp: { column: "at", zone: "Mars" } }), "Europe/Berlin"],
      [JSON.stringify({ ...BASE, timestamp: { column: "at", format: "%Q" } }), "%Q is not known"],
      [JSON.stringify({ ...BASE, timestamp: { column: "at", format: "%d.%m." } }), "it has no year"],
      [JSON.stringify({ ...BASE, drop: [{ column: "a" }] }), 'one of "is" and "is_not"'],
      [JSON.stringify({ ...BASE, types: { a: "date" } }), '"types.a" must be one of'],
      [JSON.stringify({ ...BASE, link: { user: "a" } }), '"link.anonymous"'],
    ];
    for (const [text, sentence] of wrong) expect(() => readMapping(text, "map.json")).toThrow(sentence);
  });

  test("with any row gives the same event twice, or a reject", () => {
    const names = ["name", "user", "at", "id", "anon", "props", "__proto__", "constructor", "toString", "a.b"];
    const value = fc.oneof(fc.jsonValue(), fc.constant("2024-01-01T00:00:00Z"), fc.string(), fc.double(), fc.bigInt());
    const rows = fc.dictionary(fc.constantFrom(...names), value);
    const rules = fc.constantFrom<object>(
      {},
      { uuid: "id" },
      { properties: "*" },
      { properties: ["*", "props.*", "toString"] },
      { set: ["constructor", "a.b"], groups: { __proto__: "anon" }, link: { anonymous: "anon", user: "user" } },
      { types: { anon: "number", id: "json", props: "text", "a.b": "boolean" } },
    );
    fc.assert(
      fc.property(rows, rules, fc.boolean(), (row, rule, isText) => {
        const once = attempt(row, rule, isText);
        const reordered = Object.fromEntries(Object.entries(row).reverse());
        const again = attempt(reordered, rule, isText);
        expect(identityOf(again)).toEqual(identityOf(once));
      }),
      { numRuns: 2_000 },
    );
  });
});

function attempt(row: object, rule: object, isText: boolean): ReturnType<typeof map> | RowRejected {
  try {
    const mapped = map(row, rule, isText);
    if ("event" in mapped) JSON.parse(stringifyExact(mapped.event));
    return mapped;
  } catch (error) {
    if (error instanceof RowRejected) return error;
    throw error;
  }
}

function identityOf(result: ReturnType<typeof attempt>): unknown {
  if (result instanceof RowRejected) return result.reason;
  if (!("event" in result)) return result;
  const { uuid, event, distinct_id, timestamp } = result.event;
  return { uuid, event, distinct_id, timestamp };
}

describe("times", () => {
  const read = (value: unknown, format: string | null = null, zone = "UTC") => {
    try {
      return new Date(readTime(value, { format, zone })).toISOString();
    } catch (error) {
      return error instanceof RowRejected ? error.reason : String(error);
    }
  };

  test("of ISO 8601 and numbers are read without a format", () => {
    expect(read("2024-02-29T12:34:56.789Z")).toBe("2024-02-29T12:34:56.789Z");
    expect(read("2024-02-29 12:34:56.789123456")).toBe("2024-02-29T12:34:56.789Z");
    expect(read("2024-02-29T12:34:56+02:00")).toBe("2024-02-29T10:34:56.000Z");
    expect(read("2024-02-29T12:34:56-0530")).toBe("2024-02-29T18:04:56.000Z");
    expect(read("2024-02-29 12:34:56 UTC")).toBe("2024-02-29T12:34:56.000Z");
    expect(read("2024-02-29")).toBe("2024-02-29T00:00:00.000Z");
    for (const epoch of [1709210096, "1709210096", 1709210096000, "1709210096000000", 1709210096000000000]) {
      expect(read(epoch)).toBe("2024-02-29T12:34:56.000Z");
    }
    expect(read(1709210096.5)).toBe("2024-02-29T12:34:56.500Z");
    for (const none of ["2023-02-29", "2024-13-01", "2024-01-01T24:00:00Z", "yesterday", "12:30", true, {}]) {
      expect(read(none)).toBe("bad_time");
    }
  });

  test("follow a format and a zone", () => {
    expect(read("29/02/2024 12:34", "%d/%m/%Y %H:%M")).toBe("2024-02-29T12:34:00.000Z");
    expect(read("Feb 29 2024 01:02:03 PM", "%b %d %Y %I:%M:%S %p")).toBe("2024-02-29T13:02:03.000Z");
    expect(read("February 9, 24 12:00 am", "%B %e, %y %I:%M %p")).toBe("2024-02-09T00:00:00.000Z");
    expect(read("2024-02-29T12:34:56.5+01:00", "%FT%T.%f%z")).toBe("2024-02-29T11:34:56.500Z");
    expect(read("1709210096.25", "unix")).toBe("2024-02-29T12:34:56.250Z");
    expect(read("1709210096250", "unix_ms")).toBe("2024-02-29T12:34:56.250Z");
    expect(read("2024-02-29", "%d.%m.%Y")).toBe("bad_time");
    expect(read("2024-07-01 12:00:00", null, "Europe/Berlin")).toBe("2024-07-01T10:00:00.000Z");
    expect(read("2024-01-01 12:00:00", null, "Europe/Berlin")).toBe("2024-01-01T11:00:00.000Z");
    // A clock that shows the hour twice, and one that leaves it out.
    expect(read("2024-10-27 02:30:00", null, "Europe/Berlin")).toBe("2024-10-27T00:30:00.000Z");
    expect(read("2024-03-31 02:30:00", null, "Europe/Berlin")).toBe("2024-03-31T01:30:00.000Z");
    expect(read("2024-06-01 00:10:00", null, "Asia/Kathmandu")).toBe("2024-05-31T18:25:00.000Z");
  });

  test("come out of ISO texts as they went in", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
        (date) => {
          expect(read(date.toISOString())).toBe(date.toISOString());
          expect(read(String(date.getTime()), "unix_ms")).toBe(date.toISOString());
        },
      ),
    );
  });
});

async function inspected(csv: string) {
  const folder = mkdtempSync(join(tmpdir(), "weir-inspect-"));
  try {
    const path = join(folder, "some.csv");
    writeFileSync(path, csv);
    return await inspect([path], { env: {} });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each([
  ["id,event,ts", ["ID1,seen,2024-01-02", "ID1,left,2024-01-03"], { distinct_id: ["id"], uuid: undefined }],
  ["Id,event,ts", ["ID1,seen,2024-01-02", "ID2,seen,2024-01-03"], { distinct_id: ["Id"], uuid: undefined }],
  ["id,user_id,ts", ["ID1,ada,2024-01-02", "ID2,ada,2024-01-03"], { distinct_id: ["user_id"], uuid: "id" }],
  ["id,anon_id,ts", ["ID1,a,2024-01-02", "ID2,a,2024-01-03"], { distinct_id: ["anon_id"], uuid: "id" }],
  ["id,event_id,ts", ["ID1,8,2024-01-02", "ID1,9,2024-01-03"], { distinct_id: ["id"], uuid: "event_id" }],
  ["user_id,ts", [`${crypto.randomUUID()},2024-01-02`], { uuid: undefined }],
])("inspect tells whose a row of %p is", async (head, rows, proposed) => {
  const { mapping, examples } = await inspected([head, ...rows, ""].join("\n"));
  for (const [name, value] of Object.entries(proposed)) expect(mapping[name]).toEqual(value as never);
  for (const example of examples) expect(example).not.toHaveProperty("rejected");
});

test("inspect proposes a mapping that reads the file", async () => {
  const { mapping, examples } = await inspected(
    "Created_At,User_ID,device_id,Event_Name,plan,event_id\n2024-01-02 03:04:05,u1,d1,seen,free,1\n2024-01-02 03:04:06,,d2,left,,2\n",
  );
  expect(mapping).toMatchObject({
    event: "Event_Name",
    distinct_id: ["User_ID", "device_id"],
    timestamp: { column: "Created_At", format: "iso", zone: "UTC" },
    uuid: "event_id",
    set: ["plan"],
    link: { anonymous: "device_id", user: "User_ID" },
  });
  expect(examples).toMatchObject([
    { event: "seen", distinct_id: "u1", timestamp: "2024-01-02T03:04:05.000Z" },
    { event: "left", distinct_id: "d2" },
  ]);
});

test.each([
  ["20210131", "%Y%m%d", "2021-01-31T00:00:00.000Z"],
  ["31/12/2024", "%d/%m/%Y", "2024-12-31T00:00:00.000Z"],
  ["12/31/2024 23:59", "%m/%d/%Y %H:%M", "2024-12-31T23:59:00.000Z"],
  ["31.12.2024 23:59:58", "%d.%m.%Y %H:%M:%S", "2024-12-31T23:59:58.000Z"],
])("inspect finds how times such as %s are written", async (date, format, timestamp) => {
  const { mapping, examples } = await inspected(`customer,date\nada,${date}\n`);
  expect(mapping).toMatchObject({ distinct_id: ["customer"], timestamp: { column: "date", format, zone: "UTC" } });
  expect(examples).toMatchObject([{ distinct_id: "ada", timestamp }]);
});
