import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { weirOn } from "../commands/weirProcess.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { EXPORTING, startWeir, type Weir } from "../support/weir.ts";

let weir: Weir;
let folder: string;
let original: number;

const HOUR_MS = 3_600_000;
/** Of an event as it is stored: its properties, and what the front adds to them. */
const EVENT_MAX_BYTES = 1_000_000;
/** Numbers as they are stored: of any size, with all digits, and in the notation that they came in. */
const NUMBERS = [
  ...["1E400", "-1e-400", "1e5", "1E-07", "0.0000001", "-0", "9007199254740993", "-123456789012345678901234567890"],
  ...["0.1234567890123456789012345", "1234567890123.4567890123", "12345678901234567890.5e-3", "1.5", "100"],
];

const uuid = (i: number) => `0190d6e2-0000-7000-8000-${String(i).padStart(12, "0")}`;

/** The JSON of an event. */
function eventOf(i: number, o: { properties?: string; timestamp?: string; name?: string; id?: string } = {}): string {
  const { properties = "{}", timestamp = "2024-03-05T10:00:00.123Z", name = "edge", id = `user-${i}` } = o;
  const own = { uuid: uuid(i), event: name, distinct_id: id, timestamp };
  return `${JSON.stringify(own).slice(0, -1)},"properties":${properties}}`;
}

/** Properties of exactly so many bytes, with an address, so that the front adds none. */
function propertiesOf(bytes: number, character = "x"): string {
  const empty = '{"$ip":"192.0.2.1","text":""}';
  const left = bytes - empty.length;
  const size = Buffer.byteLength(character);
  return `${empty.slice(0, -2)}${character.repeat(Math.floor(left / size))}${"x".repeat(left % size)}"}`;
}

const EVENTS = [
  eventOf(1, { properties: propertiesOf(990_000) }),
  eventOf(2, { properties: propertiesOf(EVENT_MAX_BYTES) }),
  eventOf(3, { properties: propertiesOf(EVENT_MAX_BYTES, "長") }),
  // An actor adds the key of the group once more.
  eventOf(4, {
    properties: `{"$groups":{"company":"${"k".repeat(400)}"},${propertiesOf(EVENT_MAX_BYTES - 430).slice(1)}`,
  }),
  eventOf(5, { timestamp: "0000-01-01T00:00:00Z" }),
  eventOf(6, { timestamp: "0000-12-31T23:59:59.999Z" }),
  eventOf(7, { timestamp: "9999-12-31T00:00:00Z" }),
  eventOf(8, { timestamp: new Date(Date.now() + 22.9 * HOUR_MS).toISOString() }),
  eventOf(9, { properties: `{${NUMBERS.map((number, i) => `"n${i}":${number}`).join(",")}}` }),
  eventOf(10, { properties: `{"list":[${NUMBERS.join(",")}],"of":{"a":{"b":[1E400]}}}` }),
  eventOf(11, {
    properties: `{"$set":{"huge":1E400,"long":123456789012345678901234567890},"$set_once":{"tiny":1e-400}}`,
  }),
  eventOf(12, {
    name: "$groupidentify",
    properties: `{"$group_type":"company","$group_key":"acme","$group_set":{"huge":1E400,"long":12345678901234567890}}`,
  }),
  // The last word on a group may be of an earlier time.
  eventOf(17, {
    name: "$groupidentify",
    properties: `{"$group_type":"company","$group_key":"acme","$group_set":{"size":2}}`,
  }),
  eventOf(18, {
    name: "$groupidentify",
    timestamp: "2024-01-05T10:00:00Z",
    properties: `{"$group_type":"company","$group_key":"acme","$group_set":{"size":1}}`,
  }),
  eventOf(13, { name: " " }),
  eventOf(14, { properties: `{"__proto__":{"a":1},"constructor":2,"":3,"null":null}`, id: " spaces around " }),
  eventOf(15, { properties: `{"$cookieless_mode":true,"a":1}` }),
  eventOf(16, { properties: `{"$process_person_profile":false,"a":1}` }),
];

beforeAll(async () => {
  weir = await startWeir({ env: EXPORTING });
  folder = mkdtempSync(join(tmpdir(), "weir-edges-"));
  for (const event of EVENTS) {
    const body = `{"api_key":"${weir.projectKey}","batch":[${event}]}`;
    await until("room for an event", HANG_MS, async () => (await weir.post("/batch/", body)).status === 200);
  }
  // Persons without an event, and without anything of which the time is known.
  for (const person of [{ distinct_ids: ["bare"] }, { distinct_ids: ["old"], created_at: "2024-01-01T00:00:00Z" }]) {
    await weir.manage("POST", `/api/environments/${weir.environmentId}/persons/`, person);
  }
  await weir.waitStored();
  original = weir.environmentId;
});
afterAll(async () => {
  await weir[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command about a project to its end; what it printed last. */
async function lastOf(command: string[], project: number): Promise<Record<string, unknown>> {
  const where = ["--project", String(project), "--url", weir.url, "--key", weir.personalKey, "--json"];
  const { out, error, code } = await weirOn(weir.dataDir, [...command, ...where], { WEIR_PORT: "0" });
  if (code !== 0) throw new Error(`weir ${command.join(" ")}: ${code}\n${out}\n${error}`);
  return JSON.parse(out.trim().split("\n").at(-1)!);
}

/** The events as texts, to the letter, without the address of the sender and the mark of an import. */
async function eventsOf(project: number): Promise<string[]> {
  weir.environmentId = project;
  const columns = "toString(uuid), event, distinct_id, toString(timestamp), properties, elements_chain";
  const { results } = await weir.query(`SELECT ${columns} FROM events ORDER BY 1 LIMIT 100`);
  return results.map((row) =>
    row
      .map((value) =>
        String(value)
          .replace(/,?"(?:\$ip|\$import_id)":"[^"]*"/g, "")
          .replace("{,", "{"),
      )
      .join(" "),
  );
}

async function personsOf(project: number): Promise<unknown[][]> {
  weir.environmentId = project;
  const person = "distinct_id, toString(person.properties), toString(person.created_at)";
  const persons = `SELECT ${person} FROM person_distinct_ids ORDER BY 1 LIMIT 100`;
  const group = "index, key, toString(properties), toString(created_at)";
  const groups = `SELECT ${group} FROM groups ORDER BY index, key LIMIT 100`;
  return [...(await weir.query(persons)).results, ...(await weir.query(groups)).results];
}

describe.each(["parquet", "jsonl"])("what is at the edge of what is taken, by way of %s", (format) => {
  test("comes back as it was", async () => {
    const into = join(folder, format);
    await lastOf(["export", into, "--format", format], original);
    await weir.enterFreshProject();
    const copy = weir.environmentId;
    const report = await lastOf(["import", "weir", into], copy);
    expect(report).toMatchObject({ stored: EVENTS.length, rejected: 0, missing: 0, isWhole: true });
    const before = await eventsOf(original);
    expect(before).toHaveLength(EVENTS.length);
    expect(await eventsOf(copy)).toEqual(before);
    expect(await personsOf(copy)).toEqual(await personsOf(original));
    // Out and in once more: the mark of an import is replaced, and nothing grows.
    const again = join(folder, `${format}-again`);
    await lastOf(["export", again, "--format", format], copy);
    await weir.enterFreshProject();
    const third = weir.environmentId;
    expect(await lastOf(["import", "weir", again], third)).toMatchObject({ stored: EVENTS.length, rejected: 0 });
    expect(await eventsOf(third)).toEqual(before);
  });
});
