import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { openTakeout } from "../../src/import/takeout/mod.ts";
import { type Ended, WEIR, weirOn } from "../commands/weirProcess.ts";
import { EXPORTING, startWeir, type Weir } from "../support/weir.ts";

let weir: Weir;
let folder: string;
let demo: number;
let copy: number;

beforeAll(async () => {
  weir = await startWeir({ env: EXPORTING });
  folder = mkdtempSync(join(tmpdir(), "weir-takeout-"));
});
afterAll(async () => {
  await weir[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

type Body = Record<string, unknown>;

async function run(...argv: string[]): Promise<Ended> {
  const ended = await weirOn(weir.dataDir, argv, { WEIR_PORT: "0" });
  if (ended.code !== 0) throw new Error(`weir ${argv.join(" ")}: ${ended.code}\n${ended.out}\n${ended.error}`);
  return ended;
}

/** Kills a command without warning as soon as it tells something. */
async function killedAfterALine(argv: string[]): Promise<void> {
  const env = { ...process.env, WEIR_DATA_DIR: weir.dataDir };
  const child = Bun.spawn([WEIR, ...argv], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  await child.stderr.getReader().read();
  child.kill("SIGKILL");
  await child.exited;
}

/** A command about a project of the Weir. */
const argumentsOf = (command: string[], project: number): string[] => [
  ...command,
  ...["--project", String(project), "--url", weir.url, "--key", weir.personalKey],
];

async function lastOf(...argv: string[]): Promise<Body> {
  return JSON.parse((await run(...argv)).out.trim().split("\n").at(-1)!);
}

async function query(project: number, sql: string): Promise<unknown[][]> {
  weir.environmentId = project;
  return (await weir.query(sql)).results;
}

async function list(project: number, path: string): Promise<Body[]> {
  return ((await weir.manage("GET", `/api/projects/${project}/${path}`)).json as { results: Body[] }).results;
}

/** What an insight answers, without what differs in any two projects. */
async function answersOf(project: number): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { id, name } of await list(project, "insights/?basic=true")) {
    const { json } = await weir.manage("GET", `/api/projects/${project}/insights/${id}/?refresh=force_blocking`);
    answers[String(name)] = JSON.parse(JSON.stringify((json as Body).result), rounded);
  }
  return answers;
}

/** Sums of decimals depend on their order in the last digits. */
const rounded = (_key: string, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(12)) : value);

/** Properties by event, without the mark that an import leaves. */
async function propertiesOf(project: number): Promise<unknown[]> {
  const rows = await query(project, "SELECT toString(uuid), properties FROM events ORDER BY 1 LIMIT 50000");
  return rows.map(([uuid, text]) => {
    const { $import_id: _, ...properties } = JSON.parse(String(text));
    return [uuid, properties];
  });
}

const CHECKSUMS = `SELECT toDate(timestamp) AS day, count(), sum(cityHash64(toString(uuid), event, distinct_id, toString(timestamp)))
  FROM events GROUP BY day ORDER BY day LIMIT 1000`;
const PERSONS = `SELECT arraySort(groupArray(distinct_id)), any(toString(person.created_at)), any(toString(person.properties))
  FROM person_distinct_ids GROUP BY person_id ORDER BY 1 LIMIT 5000`;

const IDENTIFIED = "SELECT properties.name, is_identified FROM persons ORDER BY 1, 2";

describe("a project that goes out and comes in again", () => {
  test("is exported whole", async () => {
    const made = await lastOf("demo", "--people", "80", "--days", "45", "--url", weir.url, "--json");
    demo = Number(made.id);
    weir.environmentId = demo;
    await weir.waitStored();
    const cohort = { name: "writers", is_static: true, csv: "distinct_id\nnobody" };
    await weir.manage("POST", `/api/projects/${demo}/cohorts/`, cohort);
    const whole = argumentsOf(["export", folder], demo);
    await killedAfterALine(whole);
    expect(() => openTakeout(folder)).toThrow("broken off");
    await run(...whole);
    const manifest = openTakeout(folder);
    expect(manifest.counts.events).toBe(Number(made.events));
    expect(manifest.counts.events).toBe(await weir.number("SELECT count() FROM events"));
  });

  test("is made again of the folder", async () => {
    await weir.enterFreshProject();
    copy = weir.environmentId;
    const report = await lastOf(...argumentsOf(["import", "weir", folder], copy), "--json");
    const { counts } = openTakeout(folder);
    expect(report).toMatchObject({ stored: counts.events, duplicates: 0, rejected: 0, missing: 0, isWhole: true });
  });

  test("has the same events by day, persons and groups", async () => {
    const before = await query(demo, CHECKSUMS);
    expect(before.length).toBeGreaterThan(30);
    expect(await query(copy, CHECKSUMS)).toEqual(before);
    expect(await query(copy, PERSONS)).toEqual(await query(demo, PERSONS));
    expect(await propertiesOf(copy)).toEqual(await propertiesOf(demo));
    const groups = "SELECT index, key, toString(properties) FROM groups ORDER BY index, key LIMIT 1000";
    expect(await query(copy, groups)).toEqual(await query(demo, groups));
  });

  test("answers every insight with the same numbers", async () => {
    const before = await answersOf(demo);
    expect(Object.keys(before).length).toBeGreaterThan(7);
    const after = await answersOf(copy);
    for (const [name, answer] of Object.entries(before)) expect([name, after[name]]).toEqual([name, answer]);
  });

  test("keeps persons apart whose merge was refused, in whatever order their events come", async () => {
    await weir.enterFreshProject();
    const from = weir.environmentId;
    const id = (n: number) => `0198b0f0-0000-4000-8000-${String(n).padStart(12, "0")}`;
    const merge = (event: string, distinct_id: string, properties: Body) => ({ event, distinct_id, properties });
    const steps = [
      merge("$identify", "ann", { $anon_distinct_id: "phone", $set: { name: "Ann" } }),
      // Refused: the phone is Ann's.
      merge("$identify", "bob", { $anon_distinct_id: "phone", $set: { name: "Bob" } }),
      merge("$identify", "cid", { $anon_distinct_id: "laptop" }),
      // Refused: both are identified. The rows of an export come by the names of their events.
      merge("$create_alias", "ann", { alias: "cid" }),
      merge("$create_alias", "bob", { alias: "ann" }),
    ];
    // Copies have uuids that sort the other way round than they were accepted.
    for (const [i, step] of steps.entries()) await weir.deliver([{ ...step, uuid: id(steps.length - i) }]);
    await weir.waitStored();
    const apart = await query(from, PERSONS);
    expect(apart.map(([ids]) => ids)).toEqual([["ann", "phone"], ["bob"], ["cid", "laptop"]]);
    const small = join(folder, "..", `${basename(folder)}-apart`);
    await run(...argumentsOf(["export", small], from));
    await weir.enterFreshProject();
    const to = weir.environmentId;
    await run(...argumentsOf(["import", "weir", small], to));
    rmSync(small, { recursive: true });
    expect(await query(to, PERSONS)).toEqual(apart);
    expect(await query(to, IDENTIFIED)).toEqual(await query(from, IDENTIFIED));
  });

  test("takes nothing from a second import", async () => {
    const ended = await run(...argumentsOf(["import", "weir", folder], copy), "--json");
    const lines = ended.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Body);
    const objects = lines.find(({ type }) => type === "objects") as { counts: Record<string, Body>; notes: unknown[] };
    expect(objects.notes).toEqual([]);
    for (const counts of Object.values(objects.counts)) expect(Object.keys(counts)).toEqual(["same"]);
    expect(lines.at(-1)).toMatchObject({ stored: 0, duplicates: openTakeout(folder).counts.events, isWhole: true });
  });
});
