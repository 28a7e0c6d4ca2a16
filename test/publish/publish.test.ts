import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { weirOn } from "../commands/weirProcess.ts";
import { catalogOf } from "../support/catalogOf.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { IcebergReader } from "./icebergReader.ts";

const REPO = new URL("../..", import.meta.url).pathname;
const KEYS = ["plan", "UUID", "Plan"];

/** As the compactor does it where many events have the keys. */
async function giveColumns(weir: Weir): Promise<void> {
  await using records = await catalogOf(weir);
  await records.catalog.growLayout(
    1,
    KEYS.map((key) => ({ key, type: "VARCHAR" as const })),
  );
}

/** What `weir lake …` prints, on the data folder of a running one. */
async function lake(weir: Weir, ...args: string[]) {
  const command = [process.execPath, "src/main.ts", "lake", ...args];
  const env = { ...process.env, WEIR_DATA_DIR: weir.dataDir };
  const child = Bun.spawn(command, { cwd: REPO, env, stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return args.includes("--json") ? JSON.parse(text) : text;
}

async function publish(weir: Weir, place: string): Promise<Record<string, { written: number; is_new: boolean }>> {
  const tables = await lake(weir, "publish", "1", place, "--keep", "2", "--json");
  return Object.fromEntries(tables.map((table: { table: string }) => [table.table, table]));
}

/** What Weir itself says of the events; values of properties as text, strings as they are. */
async function told(weir: Weir) {
  const { results } = await weir.query(
    "SELECT toString(uuid), event, distinct_id, toString(person_id), properties FROM events LIMIT 10000",
  );
  return results
    .map((row) => {
      const properties = JSON.parse(String(row[4]));
      return [...row.slice(0, 4), ...KEYS.map((key) => textOf(properties[key]))];
    })
    .toSorted(byText);
}

function textOf(value: unknown): string | null {
  if (value == null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function published(place: string) {
  const rows = await new IcebergReader(join(place, "events")).rows();
  // "UUID" and one of "plan" and "Plan" have names that another column has in another case.
  const column = (key: string) => Object.keys(rows[0]!).find((name) => name === key || name.startsWith(`${key}_1`))!;
  const names = ["uuid", "event", "distinct_id", "person_id", column("plan"), column("UUID"), column("Plan")];
  return rows.map((row) => names.map((name) => row[name])).toSorted(byText);
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const seen = (n: number, distinctId: string) => ({
  event: n % 3 === 0 ? "bought" : "seen",
  distinct_id: distinctId,
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
  properties: {
    plan: n % 2 === 0 ? "pro" : n,
    UUID: `u${n}`,
    ...(n % 5 === 0 && { Plan: `p${n}`, other: { deep: [n] } }),
  },
});

test("other engines read the same events, through merges and deletions", async () => {
  // Files change by nothing but what is done here.
  await using weir = await startWeir({ env: { WEIR_COMPACT_MS: "3600000", WEIR_ERASE_MS: "3600000" } });
  const place = mkdtempSync(join(tmpdir(), "weir-publish-"));
  const other = (await weir.manage("POST", "/api/projects/1/environments/", { name: "second" })).json as {
    api_token: string;
  };
  const foreign = { api_key: other.api_token, batch: [seen(1, "theirs")] };
  expect((await weir.post("/batch/", JSON.stringify(foreign))).status).toBe(200);
  await giveColumns(weir);
  await weir.deliver(Array.from({ length: 60 }, (_, n) => seen(n, `user-${n % 7}`)));
  await weir.waitStored();
  await weir.deliver(Array.from({ length: 10 }, (_, n) => seen(70 + n, `user-${n}`)));
  await weir.waitStored();
  await weir.deliver(Array.from({ length: 20 }, (_, n) => seen(100 + n, `late-${n % 3}`)));
  await weir.waitStored();

  await publish(weir, place);
  const events = new IcebergReader(join(place, "events"));
  expect(await published(place)).toEqual(await told(weir));
  const first = (await events.metadata())["current-snapshot-id"];
  const rowsAtFirst = await events.rows();
  expect(rowsAtFirst).toHaveLength(90);
  const properties = (await weir.query("SELECT toString(uuid), properties FROM events LIMIT 10000")).results;
  expect(new Map(rowsAtFirst.map((row) => [row.uuid, JSON.parse(String(row.properties))]))).toEqual(
    new Map(properties.map(([uuid, text]) => [uuid, JSON.parse(String(text))])),
  );

  expect((await publish(weir, place)).events).toMatchObject({ written: 0, is_new: false });

  const files = await events.dataFiles();
  await weir.deliver([
    { event: "$identify", distinct_id: "user-1", properties: { $anon_distinct_id: "user-2", $set: { a: 1 } } },
  ]);
  await weir.waitStored();
  await publish(weir, place);
  expect(await published(place)).toEqual(await told(weir));
  expect(await events.rows(first)).toEqual(rowsAtFirst);
  const kept = (await events.dataFiles()).filter((file) => files.includes(file));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(files.length);

  const [[personId]] = (await weir.query("SELECT person_id FROM events WHERE distinct_id = 'user-3' LIMIT 1"))
    .results as [[string]];
  const person = `/api/environments/1/persons/${personId}/?delete_events=true`;
  expect((await weir.manage("DELETE", person)).status).toBe(202);
  await publish(weir, place);
  expect(await published(place)).toEqual(await told(weir));
  expect((await events.metadata()).snapshots).toHaveLength(2);

  const persons = await new IcebergReader(join(place, "persons")).rows();
  const known = (await weir.query("SELECT toString(id), properties FROM persons LIMIT 1000")).results;
  expect(persons.map((row) => [row.id, row.properties]).toSorted(byText)).toEqual(known.toSorted(byText));
  const ids = await new IcebergReader(join(place, "distinct_ids")).rows();
  const knownIds = (await weir.query("SELECT distinct_id, toString(person_id) FROM person_distinct_ids LIMIT 1000"))
    .results;
  expect(ids.map((row) => [row.distinct_id, row.person_id]).toSorted(byText)).toEqual(knownIds.toSorted(byText));
});

/** As it was published before tables named their project. */
function forgetProject(table: string): void {
  const metadata = (name: string) => join(table, "metadata", name);
  const current = metadata(`v${readFileSync(metadata("version-hint.text"), "utf8")}.metadata.json`);
  const { properties, ...others } = JSON.parse(readFileSync(current, "utf8"));
  expect(properties).toMatchObject({ "weir.project": "1" });
  writeFileSync(current, JSON.stringify({ ...others, properties: {} }));
}

test("a place has the tables of one project", async () => {
  await using weir = await startWeir({ env: { WEIR_COMPACT_MS: "3600000", WEIR_ERASE_MS: "3600000" } });
  const place = mkdtempSync(join(tmpdir(), "weir-publish-"));
  const second = (await weir.manage("POST", "/api/projects/1/environments/", { name: "second" })).json as {
    id: number;
    api_token: string;
  };
  const theirs = { api_key: second.api_token, batch: [seen(1, "theirs"), seen(2, "theirs")] };
  expect((await weir.post("/batch/", JSON.stringify(theirs))).status).toBe(200);
  await weir.deliver([seen(3, "ours")]);
  await weir.waitStored();
  await publish(weir, place);
  const before = readdirSync(place, { recursive: true }).sort();
  for (const [project, problem] of [
    [second.id, `weir: file://${place}/events is a table of another project (1, `],
    [99, "weir: There is no environment 99."],
  ] as const) {
    const refused = await weirOn(weir.dataDir, ["lake", "publish", String(project), place]);
    expect(refused).toMatchObject({ out: "", code: 1 });
    expect(refused.error).toStartWith(problem);
  }
  expect(readdirSync(place, { recursive: true }).sort()).toEqual(before);

  for (const table of ["events", "persons", "distinct_ids"]) forgetProject(join(place, table));
  expect((await weirOn(weir.dataDir, ["lake", "publish", String(second.id), place])).code).toBe(0);
  const ids = async (table: string) =>
    (await new IcebergReader(join(place, table)).rows()).map((row) => row.distinct_id);
  expect(await ids("events")).toEqual(["theirs", "theirs"]);
  expect(await ids("distinct_ids")).toEqual(["theirs"]);
  expect(await new IcebergReader(join(place, "persons")).rows()).toHaveLength(1);
});
