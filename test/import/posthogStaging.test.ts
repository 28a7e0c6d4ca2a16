import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { stageClickHouse } from "../../src/import/sources/posthog/clickhouse.ts";
import { stageCloud } from "../../src/import/sources/posthog/cloud.ts";
import { StagingFolder } from "../../src/import/staging/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { type DoubleRow, type DownloadDouble, startDownloadDouble } from "./downloadDouble.ts";

const DAY_MS = 86_400_000;
const PAUSE_MS = 1;
const WHOLE = { fromMs: null, toMs: null };
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "weir-staging-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function linesIn(folder: StagingFolder, prefix: string): DoubleRow[] {
  const parts = folder.parts.filter(({ name }) => name.startsWith(prefix));
  return parts.flatMap(({ name, sizeBytes }) => {
    const text = sizeBytes === 0 ? "" : gunzipSync(readFileSync(folder.path(name))).toString();
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  });
}

describe("a project of PostHog's cloud", () => {
  let server: ManageServer;
  let double: DownloadDouble;
  let cloud: { url: string; key: string; project: string };
  let events: DoubleRow[];

  beforeAll(async () => {
    server = await startManage();
    server.nowMs = Date.now() - 17 * DAY_MS;
    const made = await server.send("POST", "/api/projects/", { body: { name: "theirs" } });
    // Nothing in the second week.
    const at = (i: number) => new Date(server.nowMs + 3_600_000 + (i < 10 ? i * 0.5 : i) * DAY_MS).toISOString();
    events = Array.from({ length: 16 }, (_, i) => ({ uuid: crypto.randomUUID(), event: `e${i}`, created_at: at(i) }));
    const persons = [{ distinct_id: "a", person_id: "P", created_at: at(0) }];
    double = startDownloadDouble({ rows: { events, persons }, behind: server.url });
    cloud = { url: double.url, key: server.key, project: String((made.json as { id: number }).id) };
  });
  afterAll(async () => {
    await double.stop();
    await server.stop();
  });

  test("is brought a week at a time, whatever is cut off or too early", async () => {
    const folder = await StagingFolder.open(join(root, "cloud"), new AbortController().signal);
    const persons = await stageCloud(cloud, WHOLE, folder, PAUSE_MS);
    expect(
      linesIn(folder, "events-of-")
        .map(({ uuid }) => uuid)
        .sort(),
    ).toEqual(events.map(({ uuid }) => uuid).sort());
    expect(linesIn(folder, "persons-of-")).toHaveLength(1);
    expect(persons.length).toBe(folder.parts.length / 2);
    expect(double.keysShown).toBe(0);
    const before = double.asked.length;
    await stageCloud(cloud, WHOLE, await StagingFolder.open(join(root, "cloud"), folder.signal), PAUSE_MS);
    // Only a new hour may have begun.
    expect(double.asked.length - before).toBeLessThanOrEqual(2);
  });

  test("goes on after it was ended", async () => {
    for (const end of [1, 3, 4]) {
      const ending = new AbortController();
      let told = 0;
      const path = join(root, `cloud ${end}`);
      const broken = await StagingFolder.open(path, ending.signal, () => {
        if (++told > end) ending.abort(new Error("ended"));
      });
      await stageCloud(cloud, WHOLE, broken, PAUSE_MS).catch(() => null);
      const folder = await StagingFolder.open(path, new AbortController().signal);
      await stageCloud(cloud, WHOLE, folder, PAUSE_MS);
      expect(linesIn(folder, "events-of-")).toHaveLength(events.length);
    }
  });
});

describe("the database of a PostHog", () => {
  let database: DatabaseDouble;
  beforeAll(async () => {
    database = await startDatabase(root);
  });
  afterAll(() => database.stop());

  test("is brought by days, large ones by hours, as the user that was named", async () => {
    const folder = await StagingFolder.open(join(root, "database"), new AbortController().signal);
    const clickhouse = { url: database.url, user: "reader", password: "secret", team: 3 };
    const persons = await stageClickHouse(clickhouse, WHOLE, folder);
    expect(persons).toEqual(["persons-of-all.parquet"]);
    const names = folder.parts.map(({ name }) => name);
    expect(names).toContain("events-of-2024-01-01.parquet");
    expect(names.filter((name) => name.startsWith("events-of-2024-01-02T"))).toHaveLength(24);
    expect(database.ranges).toContainEqual(["2024-01-01 00:00:00", "2024-01-02 00:00:00"]);
    expect(database.ranges).toContainEqual(["2024-01-02 23:00:00", "2024-01-03 00:00:00"]);
    const asked = database.ranges.length;
    await stageClickHouse(clickhouse, WHOLE, folder);
    expect(database.ranges.length).toBe(asked);
  });

  test("is refused with its own words", async () => {
    const folder = await StagingFolder.open(join(root, "refused"), new AbortController().signal);
    const asked = stageClickHouse({ url: database.url, user: "reader", password: "wrong", team: 3 }, WHOLE, folder);
    await expect(asked).rejects.toThrow("Authentication failed");
  });
});

interface DatabaseDouble {
  url: string;
  /** The times of each question for events. */
  ranges: [string | null, string | null][];
  stop(): Promise<void>;
}

/** Answers as ClickHouse's HTTP interface: by headers, bound values and a format. Its Parquet is always the same. */
async function startDatabase(folder: string): Promise<DatabaseDouble> {
  const path = join(folder, "answer.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`copy (select 'x' as uuid from range(3)) to '${path}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  const bytes = readFileSync(path);
  const ranges: DatabaseDouble["ranges"] = [];
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const { searchParams: values } = new URL(request.url);
      const isKnown = request.headers.get("x-clickhouse-key") === "secret";
      if (!isKnown || request.headers.get("x-clickhouse-user") !== "reader") {
        return new Response("Code: 516. DB::Exception: reader: Authentication failed", { status: 403 });
      }
      const query = values.get("query") ?? "";
      if (values.get("param_team") !== "3" || values.get("wait_end_of_query") !== "1")
        return new Response("", { status: 500 });
      if (query.endsWith("FORMAT JSON")) {
        const data = [
          { day: "2024-01-01", number: 5 },
          { day: "2024-01-02", number: 2_000_000 },
        ];
        return Response.json({ data });
      }
      if (query.includes("FROM events")) ranges.push([values.get("param_from"), values.get("param_to")]);
      return new Response(bytes);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, ranges, stop: () => server.stop(true) };
}
