import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { type ExplainWish, explainQuery } from "../../src/manage/mod.ts";
import { bootstrap } from "../../src/metadata/mod.ts";
import { openDb } from "../../src/schema.ts";
import { StoredLake } from "../query/storedLake.ts";
import { failure } from "../query/support.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const DATES = { date_from: "2026-01-01", date_to: "2026-01-31" };
const TRENDS = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "buy" }], dateRange: DATES };
const LIST = { kind: "EventsQuery", event: "buy", after: DATES.date_from };
const HOGQL = "select count() from events where event = 'it''s'";

let server: ManageServer;
let lake: StoredLake;
const directory = mkdtempSync(join(tmpdir(), "weir-explain-"));
beforeAll(async () => {
  server = await startManage();
  lake = await StoredLake.open();
  const event = { event: "buy", distinctId: "ann", timestampMs: Date.UTC(2026, 0, 15) };
  await lake.store(1, { events: [event], persons: [{ distinctIds: ["ann"] }], groups: [] });
});
afterAll(async () => {
  await server.stop();
  await lake.close();
  rmSync(directory, { recursive: true });
});

/** The lines that the command prints. */
async function explained(project: number, source: ExplainWish["source"]): Promise<string[]> {
  const parts = { config: loadConfig({}), db: server.db, lake, log: () => {} };
  return (await explainQuery({ project, source }, parts)).split("\n");
}

const printed = (project: number, path: string) => explained(project, { file: path });

async function file(content: string | object): Promise<string> {
  const path = join(directory, crypto.randomUUID());
  await Bun.write(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("weir explain", () => {
  test.each<[string, string | object, string, string]>([
    ["a trend", TRENDS, '$6 = "buy"', "sum(t0.events)"],
    ["a trend in a wrapper", { kind: "InsightVizNode", source: TRENDS }, '$6 = "buy"', "sum(t0.events)"],
    ["HogQL in a node", { kind: "HogQLQuery", query: HOGQL }, '$1 = "it\'s"', "FROM activity AS t0 WHERE"],
    ["HogQL", ` ${HOGQL}\n`, '$1 = "it\'s"', "FROM activity AS t0 WHERE"],
    ["a list of events", LIST, '$1 = "buy"', "FROM (events AS t0 LEFT JOIN persons AS t0_0 ON"],
  ])("shows %s: what is read, the values, the statement", async (_, content, value, statement) => {
    const lines = await printed(1, await file(content));
    expect(lines[0]).toMatch(/^Reads 2 files with events from (any time|\d{4}-\S+Z) to (any time|\d{4}-\S+Z)\.$/);
    expect(lines).toContain(value);
    expect(lines.at(-1)).toContain(statement);
  });

  test("shows a saved insight, also one in the old form", async () => {
    const save = async (body: object) => {
      const reply = await server.send("POST", "/api/environments/1/insights/", { body });
      return (reply.json as { short_id: string }).short_id;
    };
    for (const body of [{ query: TRENDS }, { filters: { events: [{ id: "buy" }], ...DATES } }]) {
      const lines = await explained(1, { shortId: await save(body) });
      expect(lines).toEqual(await printed(1, await file(TRENDS)));
    }
    const none = explained(1, { shortId: await save({ name: "nothing is asked" }) });
    await expect(none).rejects.toMatchObject({ code: "not_found" });
    await expect(explained(1, { shortId: "nope" })).rejects.toMatchObject({ code: "not_found" });
  });

  test.each<[string | object]>([
    [{ kind: "FunnelsQuery" }],
    [{ ...TRENDS, intervall: "day" }],
    [{ kind: "EventsQuery", actionId: 8 }],
    [{ kind: "HogQLQuery", query: "select evnt from events" }],
  ])("refuses %j in the words of the API", async (query) => {
    const body = { query };
    const { json } = await server.send("POST", "/api/environments/1/query/", { body });
    const { code, detail } = json as { code: string; detail: string };
    const refused = await failure(printed(1, await file(query)));
    expect(refused).toMatchObject({ code, message: expect.stringContaining(detail) });
  });

  test("says where in HogQL it is wrong, and what is no JSON", async () => {
    expect((await failure(printed(1, await file("select evnt from events")))).message).toEndWith(
      "(characters 7 to 11)",
    );
    const broken = await failure(printed(1, await file('{"kind": ')));
    expect(broken).toMatchObject({ code: "parse_error", message: expect.stringContaining("JSON parse error - ") });
  });

  test("wants a project that exists, and a file that can be read", async () => {
    await expect(printed(9, await file(HOGQL))).rejects.toMatchObject({ code: "not_found" });
    await expect(printed(1, join(directory, "nope"))).rejects.toMatchObject({ code: "invalid_arguments" });
  });

  test("as a process takes a query from its standard input and leaves nothing behind", async () => {
    const dataDir = join(directory, "data");
    mkdirSync(dataDir);
    const db = await openDb({ databaseUrl: null, sqlitePath: join(dataDir, "weir.db") });
    await bootstrap(db, { projectApiKey: null, personalApiKey: null }, Date.now());
    await db.close();
    const main = new URL("../../src/main.ts", import.meta.url).pathname;
    const child = Bun.spawn([process.execPath, main, "explain", "1", "-"], {
      env: { ...process.env, WEIR_DATA_DIR: dataDir },
      stdin: new Blob([HOGQL]),
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    expect(output).toMatch(/^Reads 0 files with events from any time to any time\.\n\$1 = "it's"\n.*\nSELECT /);
    expect(readdirSync(join(dataDir, "run"))).toEqual([]);
  });
});
