import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatOf, mapEvent } from "../../../src/import/exported/mod.ts";
import { Fields } from "../../../src/import/fields.ts";
import { originOf, readOptions } from "../../../src/import/sources/posthog/options.ts";
import { RowRejected } from "../../../src/import/types.ts";
import type { JsonObject } from "../../../src/types/mod.ts";

const UUID = "0190d6e2-0000-7000-8000-000000000001";
const ROW: JsonObject = {
  uuid: UUID,
  event: "bought",
  distinct_id: "ada",
  timestamp: "2024-02-29T12:34:56.789123Z",
  properties: { price: 3, $set: { plan: "pro" } },
};

function event(more: JsonObject, without: string[] = []) {
  const row = Object.fromEntries(Object.entries({ ...ROW, ...more }).filter(([name]) => !without.includes(name)));
  const mapped = mapEvent(new Fields(row));
  if (!("event" in mapped)) throw new Error("no event");
  return mapped.event;
}

function reasonFor(more: JsonObject, without: string[] = []): string {
  try {
    event(more, without);
  } catch (error) {
    if (error instanceof RowRejected) return error.reason;
    throw error;
  }
  return "none";
}

describe("a row of the events model", () => {
  test("is the event that it was", () => {
    expect(event({})).toEqual({
      uuid: UUID,
      event: "bought",
      distinct_id: "ada",
      timestamp: "2024-02-29T12:34:56.789Z",
      properties: { price: 3, $set: { plan: "pro" } },
    });
  });

  test("says what was clicked", () => {
    const chain = 'button:text="Buy"';
    expect(event({ elements_chain: chain }).properties.$elements_chain).toBe(chain);
    expect(event({ elements_chain: "" }).properties).not.toHaveProperty("$elements_chain");
    expect(event({ elements: '[{"tag_name":"a"}]' }).properties.$elements).toEqual([{ tag_name: "a" }]);
  });

  test("of an old export has members beside the properties, which win", () => {
    const old = { set: '{"plan":"free","age":3}', set_once: { first: true }, ip: "1.2.3.4", site_url: "", team_id: 2 };
    const more = { $set_once: { first: true }, $ip: "1.2.3.4" };
    expect(event(old).properties).toEqual({ ...(ROW.properties as JsonObject), ...more });
    const empty = { set: "{}", set_once: null, properties: {} };
    expect(event(empty).properties).toEqual({});
  });

  test("leaves out who the person was then, and uses every column", () => {
    const more = { person_id: UUID, person_properties: { a: 1 }, created_at: "2024-01-01", _inserted_at: "2024-01-01" };
    const fields = new Fields({ ...ROW, ...more });
    mapEvent(fields);
    expect(fields.unused()).toEqual([]);
  });

  test("may be of a query or of the events page, with a column a property", () => {
    const columns = { "*.distinct_id": "bob", "properties.$browser": "Firefox", "*.properties.path": "/" };
    const { properties, distinct_id } = event({ ...columns, "properties.none": "" }, ["distinct_id"]);
    expect(distinct_id).toBe("bob");
    expect(properties).toEqual({ price: 3, $set: { plan: "pro" }, $browser: "Firefox", path: "/" });
  });

  test.each([
    ["2024-02-29 12:34:56.789123", "2024-02-29T12:34:56.789Z"],
    ["2024-02-29 12:34:56 UTC", "2024-02-29T12:34:56.000Z"],
    ["2024-02-29T12:34:56+02:00", "2024-02-29T10:34:56.000Z"],
    ["2024-02-29T12:34:56.7-0230", "2024-02-29T15:04:56.700Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ])("happened at %s", (given, wanted) => {
    expect(event({ timestamp: given }).timestamp).toBe(wanted);
  });

  test.each([
    ["no_event", { event: "" }, []],
    ["no_event", { event: {} }, []],
    ["no_id", { distinct_id: null }, []],
    ["no_id", {}, ["uuid"]],
    ["bad_id", { uuid: "7" }, []],
    ["no_time", {}, ["timestamp"]],
    ["bad_time", { timestamp: "yesterday" }, []],
    ["bad_time", { timestamp: "2024-02-30T00:00:00Z" }, []],
    ["bad_time", { timestamp: "2024-13-01" }, []],
    ["bad_time", { timestamp: "12024-01-01" }, []],
    ["no_event", { person_version: 1 }, ["event"]],
    ["bad_json", { properties: '{"price":3' }, []],
    ["bad_json", { properties: '{"price":NaN}' }, []],
    ["bad_json", { properties: "price" }, []],
    ["bad_json", { set: '{"plan":}' }, []],
    ["none", { properties: " null " }, []],
    ["none", { properties: "" }, []],
  ] as [string, JsonObject, string[]][])("is rejected as %s for %j", (reason, more, without) => {
    expect(reasonFor(more, without)).toBe(reason);
  });

  test("is the same event each time, or the same reject, whatever it has", () => {
    const names = ["uuid", "event", "distinct_id", "timestamp", "properties", "set", "elements", "ip", "properties.x"];
    const row = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.jsonValue(), fc.string()));
    const outcome = (given: unknown) => {
      try {
        return JSON.stringify(mapEvent(new Fields(structuredClone(given) as JsonObject)));
      } catch (error) {
        if (!(error instanceof RowRejected)) throw error;
        return error.reason;
      }
    };
    fc.assert(fc.property(row, (more) => expect(outcome({ ...ROW, ...more })).toBe(outcome({ ...ROW, ...more }))));
  });
});

describe("the arguments", () => {
  const env = { POSTHOG_API_KEY: "phx_secret" };

  test("name one way", () => {
    expect(() => readOptions({}, [], env)).toThrow("one of them");
    expect(() => readOptions({ "from-cloud": true, "posthog-project": "2" }, ["x"], env)).toThrow("one of them");
    expect(() => readOptions({ "from-cloud": true }, [], env)).toThrow("--posthog-project");
    expect(() => readOptions({ "from-cloud": true, "posthog-project": "2" }, [], {})).toThrow("POSTHOG_API_KEY");
    expect(() => readOptions({ "posthog-host": "https://x.example" }, ["x"], env)).toThrow("is for --from-cloud");
    expect(() => readOptions({ "posthog-project": "2" }, ["x"], env)).toThrow("--posthog-project is for");
    const rows = { clickhouse: "http://host", "posthog-project": "2", "no-objects": true };
    expect(() => readOptions(rows, [], env)).toThrow("--no-objects is for --from-cloud");
    const database = { clickhouse: "http://a:b@host", "posthog-project": "2" };
    expect(() => readOptions(database, [], env)).toThrow("CLICKHOUSE_PASSWORD");
  });

  test("tell where it comes from without secrets", () => {
    const given = { "from-cloud": true, "posthog-host": "https://eu.posthog.com/", "posthog-project": "2" };
    const cloud = readOptions(given, [], env);
    expect(originOf(cloud)).toBe("https://eu.posthog.com/project/2");
    expect(cloud.cloud?.key).toBe("phx_secret");
    const day = { from: "2024-01-01", to: "2024-01-01" };
    const { fromMs, toMs } = readOptions({ clickhouse: "http://host:8123", "posthog-project": "2", ...day }, [], env);
    expect(toMs! - fromMs!).toBe(86_400_000);
  });

  test.each([
    ["a/2024-01-01.parquet", "table"],
    ["a/2024-01-01.parquet.zst", "table"],
    ["a.csv.gz", "table"],
    ["a.jsonl", "lines"],
    ["a.jsonl.gz", "lines"],
    ["manifest.txt", null],
  ])("know how %s is read", (file, format) => {
    expect(formatOf(file)).toBe(format as never);
  });
});
