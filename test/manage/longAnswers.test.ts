import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Lake, openLake } from "../../src/lake/mod.ts";
import { findCachedResults } from "../../src/metadata/mod.ts";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import { doorConfig } from "../lake/support.ts";
import { TestLake } from "../lake/testLake.ts";
import { until } from "../support/broker.ts";
import { BackgroundRig, QUERY_PATH, type Status } from "./backgroundRig.ts";

const MiB = 1024 * 1024;
/** One of the longest, and not two. */
const ANSWERS_BYTES = 100 * MiB;

interface Answer {
  results: unknown[][];
  is_cached: boolean;
  hasMore: boolean;
  cache_key: string;
}

let stored: TestLake;
let lake: Lake;
let rig: BackgroundRig;
beforeAll(async () => {
  stored = await TestLake.open();
  lake = openLake({
    config: { ...doorConfig(), queryMaxResultBytes: 64 * MiB },
    catalog: stored.catalog,
    storage: stored.storage,
    runDirectory: join(stored.runDirectory, "query"),
    log: () => {},
  });
  rig = await BackgroundRig.start({ answersMaxBytes: ANSWERS_BYTES });
  rig.server.lake = lake;
  rig.server.runQuery = runQuery;
});
afterAll(async () => {
  closeParser();
  await rig.stop();
  await lake.close();
  await stored.close();
});

/** Rows of about 100 bytes; `salt` makes it a query of its own. */
const sql = (rows: number, salt: number) =>
  `select number, repeat('é', 45), ${salt}, toDateTime('2024-07-01 00:00:00') from numbers(${rows}) order by number limit 50000`;
const node = (rows: number, salt: number) => ({ kind: "HogQLQuery", query: sql(rows, salt) });
const rowsOf = (rows: number, salt: number) =>
  Array.from({ length: rows }, (_, i) => [i, "é".repeat(45), salt, "2024-07-01T00:00:00Z"]);
const ask = async (query: object, more: object = {}) => rig.ask({ query, ...more });
const filesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
};
const held = () => filesIn(join(rig.server.deps.config.dataDir, "run", "answers"));
/** Opens an answer and reads nothing of it but its beginning. */
async function begin(query: object): Promise<{ status: number; end(): Promise<string>; leave(): Promise<void> }> {
  const controller = new AbortController();
  const response = await fetch(rig.server.url + QUERY_PATH, {
    method: "POST",
    headers: { Authorization: `Bearer ${rig.server.key}` },
    body: JSON.stringify({ query }),
    signal: controller.signal,
  });
  return { status: response.status, end: () => response.text(), leave: async () => controller.abort() };
}

describe("an answer of many megabytes", () => {
  test("is the same as a short one, calculated, kept, and in other processes", async () => {
    const first = (await ask(node(20_000, 1))).json as Answer;
    expect(first).toMatchObject({ is_cached: false, hasMore: false });
    expect(first.results).toEqual(rowsOf(20_000, 1));
    const second = (await ask(node(20_000, 1))).json as Answer;
    expect(second).toMatchObject({ is_cached: true, cache_key: first.cache_key });
    expect(second.results).toEqual(first.results);
    const other = rig.otherProcess();
    const { deps } = rig.server;
    const cached = await deps.db.read((tx) => findCachedResults(tx, 1, [first.cache_key]));
    const { text } = other.calculator.kept(cached.get(first.cache_key)!, 1)!;
    expect((await Array.fromAsync(text.list!.pieces())).flat()).toEqual(first.results);
    await other.calculator.close();
    expect(filesIn(join(stored.runDirectory, "query", "spill"))).toEqual([]);
  });

  test("has times in the environment's zone", async () => {
    const { id } = (await rig.server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    await rig.server.send("PATCH", `/api/environments/${id}/`, { body: { timezone: "Europe/Paris" } });
    const reply = await rig.server.send("POST", `/api/environments/${id}/query/`, {
      body: {
        query: {
          kind: "HogQLQuery",
          query: `select toTimeZone(toDateTime('2024-07-01 00:00:00', 'UTC'), 'Europe/Paris'), repeat('x', 500) from numbers(5000) limit 5000`,
        },
      },
    });
    const { results } = reply.json as Answer;
    expect(results).toHaveLength(5_000);
    expect(new Set(results.map(([time]) => time))).toEqual(new Set(["2024-07-01T02:00:00+02:00"]));
  });

  test("comes in the background, too", async () => {
    const id = crypto.randomUUID();
    await ask(node(20_000, 2), { refresh: "force_async", client_query_id: id });
    await rig.working(() => until(async () => (await rig.poll(id)).complete));
    const { query_status: status } = (await rig.server.send("GET", `${QUERY_PATH}${id}/`)).json as Status;
    expect(status.results!.results).toEqual(rowsOf(20_000, 2));
  });

  test("and as a table", async () => {
    const reply = await rig.server.send("POST", `${QUERY_PATH}?format=csv`, {
      body: { query: node(20_000, 3), name: "n" },
    });
    expect(reply.headers.get("content-type")).toStartWith("text/csv");
    const lines = reply.text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(20_001);
    expect(lines[20_000]).toBe(`19999,${"é".repeat(45)},3,2024-07-01T00:00:00Z`);
  });
});

describe("answers of the longest kind", () => {
  const longest = (salt: number) => ({
    kind: "HogQLQuery",
    query: `select number, repeat('abcdefghij', 120), ${salt} from numbers(50000) limit 50000`,
  });

  test("take no memory while they are read slowly, and one file for all", async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    const readers = await Promise.all(Array.from({ length: 36 }, () => begin(longest(1))));
    clearInterval(timer);
    expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200));
    expect(held().filter((path) => statSync(path).size > 50 * MiB)).toHaveLength(1);
    const text = await readers[0]!.end();
    expect(JSON.parse(text).results).toHaveLength(50_000);
    expect(peak - before).toBeLessThan(400 * MiB);
    await Promise.all(readers.map(({ leave }) => leave()));
  });

  test("are refused while those that are read have used up the room", async () => {
    const { leave } = await begin(longest(1));
    const reply = await ask(longest(2));
    expect(reply.status).toBe(429);
    expect(reply.headers.get("retry-after")).toBe("5");
    const again = await begin(longest(1));
    expect(again.status).toBe(200);
    await Promise.all([leave(), again.leave()]);
    await until(async () => (await ask(longest(2))).status === 200);
    expect(held().reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThanOrEqual(ANSWERS_BYTES);
  });

  test("are not for those who have only a link, nor as a table of their fields", async () => {
    const insight = async (query: object) => {
      const reply = await rig.server.send("POST", "/api/environments/1/insights/", { body: { query } });
      const { id } = reply.json as { id: number };
      const path = `/api/environments/1/insights/${id}/`;
      const shared = await rig.server.send("PATCH", `${path}sharing/`, { body: { enabled: true } });
      return { path, token: (shared.json as { access_token: string }).access_token };
    };
    const open = async (path: string) => (await rig.server.send("GET", path, { key: null })).status;
    const long = await insight(node(20_000, 5));
    const body = (await rig.server.send("GET", `${long.path}?refresh=blocking`)).json as { result: unknown[] };
    expect(body.result).toEqual(rowsOf(20_000, 5));
    const paths = ({ path, token }: typeof long) => [
      `/shared/${token}/`,
      `/shared/${token}.json`,
      `${path}?refresh=blocking&sharing_access_token=${token}`,
    ];
    for (const path of paths(long)) expect(await open(path)).toBe(400);
    for (const path of paths(await insight(node(100, 6)))) expect(await open(path)).toBe(200);
    const table = await rig.server.send("GET", "/api/environments/1/insights/?refresh=blocking&format=csv");
    expect(table.json as object).toMatchObject({ code: "result_too_large" });
  });
});
