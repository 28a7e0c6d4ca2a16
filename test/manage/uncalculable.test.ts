import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { RetryableError, TerminalError } from "../../src/types/mod.ts";
import { until } from "../support/broker.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { BackgroundRig } from "./backgroundRig.ts";

interface Shown {
  id: number;
  result: unknown;
  query_status: { complete: boolean; error: boolean; error_message: string | null; results: unknown } | null;
}

const ROOT = "/api/environments/1";
const FAULTY = "faulty";
let asked = 0;
const sql = (query: string) => ({ kind: "HogQLQuery", query: `${query} ${++asked}` });

describe("one insight that cannot be calculated", () => {
  let server: ManageServer;
  let failure: Error;
  let ids: number[];
  let dashboard: number;

  const created = async (path: string, body: object) =>
    ((await server.send("POST", ROOT + path, { body })).json as Shown).id;
  const shown = async (path: string) => {
    const reply = await server.send("GET", ROOT + path);
    const { results, tiles } = reply.json as { results?: Shown[]; tiles?: { insight: Shown }[] };
    return { status: reply.status, insights: results ?? tiles?.map((tile) => tile.insight) ?? [] };
  };

  beforeAll(async () => {
    server = await startManage();
    server.answerQueries(async (node) => {
      if (JSON.stringify(node).includes(FAULTY)) throw failure;
      return { results: [[1]], hasMore: false };
    });
    dashboard = await created("/dashboards/", { name: "both" });
    const make = (query: string) => created("/insights/", { query: sql(query), dashboards: [dashboard] });
    ids = [await make("select"), await make(FAULTY), await make("select")];
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    failure = new TerminalError("query_failed", "no such column");
  });

  test.each([
    ["a list", () => "/insights/?refresh=blocking&order=id"],
    ["a dashboard", () => `/dashboards/${dashboard}/?refresh=blocking`],
  ])("does not take %s with it", async (_name, path) => {
    const { status, insights } = await shown(path());
    expect(status).toBe(200);
    expect(insights.map(({ id, result }) => [id, result])).toEqual([
      [ids[0], [[1]]],
      [ids[1], null],
      [ids[2], [[1]]],
    ]);
    expect(insights.map((insight) => insight.query_status)).toEqual([
      null,
      expect.objectContaining({ complete: true, error: true, error_message: "no such column", results: null }),
      null,
    ]);
  });

  test.each([
    ["too slow", new TerminalError("query_timeout", "too slow")],
    ["Request was throttled. Expected available in 5 seconds.", new RetryableError("queries_busy", "secret")],
    ["This cannot be answered at the moment, try again.", new RetryableError("segment_missing", "secret")],
    ["Stored events cannot be read.", new TerminalError("segment_unreadable", "secret")],
    ["A server error occurred.", new Error("secret")],
    ["no key phx_", new TerminalError("query_failed", "no key phx_0123456789abcdefghijklmnopqrstuvwxyz")],
  ])("says what the request for it alone would say: %s", async (message, error) => {
    failure = error;
    const { insights } = await shown("/insights/?refresh=blocking&order=id");
    expect(insights[1]!.query_status!.error_message).toStartWith(message);
    expect(JSON.stringify(insights)).not.toMatch(/secret|0123456789/);
  });

  test("is an error where it alone is asked for", async () => {
    const reply = await server.send("GET", `${ROOT}/insights/${ids[1]}/?refresh=blocking`);
    expect([reply.status, reply.json as object]).toEqual([
      400,
      { type: "validation_error", code: "invalid_input", detail: "no such column", attr: null },
    ]);
  });

  test("is saved all the same, and the answer says so", async () => {
    const body = { name: "new", query: sql(FAULTY) };
    const reply = await server.send("POST", `${ROOT}/insights/?refresh=blocking`, { body });
    expect([reply.status, (reply.json as Shown).query_status?.error]).toEqual([201, true]);
    const path = `${ROOT}/insights/${(reply.json as Shown).id}/?refresh=blocking`;
    expect((await server.send("PATCH", path, { body: { name: "newer" } })).status).toBe(200);
  });

  test("a dashboard is not changed by a request that is refused", async () => {
    const path = `${ROOT}/dashboards/?filters_override=nonsense`;
    expect((await server.send("POST", path, { body: { name: "unwanted" } })).status).toBe(400);
    const found = (await server.send("GET", `${ROOT}/dashboards/?search=unwanted`)).json as { count: number };
    expect(found.count).toBe(0);
  });
});

describe("a background calculation that failed", () => {
  let rig: BackgroundRig;
  beforeAll(async () => {
    rig = await BackgroundRig.start();
  });
  afterAll(() => rig.stop());

  test("is told until it expires, and not repeated unless somebody insists", async () => {
    const { server } = rig;
    const body = { query: sql("select") };
    const { id } = (await server.send("POST", `${ROOT}/insights/`, { body })).json as Shown;
    const ask = async (refresh: string) =>
      ((await server.send("GET", `${ROOT}/insights/${id}/?refresh=${refresh}`)).json as Shown).query_status;
    const failed = { complete: true, error: true, error_message: "no such column" };
    rig.calculate = async () => {
      throw new TerminalError("query_failed", "no such column");
    };
    await rig.working(async () => {
      expect(await ask("async")).toMatchObject({ complete: false, error: false });
      await until(async () => (await ask("force_cache"))?.complete === true);
      for (const refresh of ["force_cache", "async", "lazy_async"]) expect(await ask(refresh)).toMatchObject(failed);
      const reply = await rig.ask({ query: body.query, refresh: "async" });
      expect([reply.status, reply.json as Shown]).toEqual([
        200,
        expect.objectContaining({ query_status: expect.objectContaining(failed) }),
      ]);
      expect(rig.begun).toBe(1);
      expect(await ask("force_async")).toMatchObject({ complete: false, error: false });
      await until(async () => (await ask("force_cache"))?.complete === true);
      expect(rig.begun).toBe(2);
    });
    server.nowMs += 600_001;
    expect(await ask("force_cache")).toBeNull();
    expect(await ask("async")).toMatchObject({ complete: false });
  });

  test("is over once there is a result that was begun later", async () => {
    const { server } = rig;
    const query = sql("select");
    const { id } = (await server.send("POST", `${ROOT}/insights/`, { body: { query } })).json as Shown;
    const ask = async (refresh: string) =>
      (await server.send("GET", `${ROOT}/insights/${id}/?refresh=${refresh}`)).json as Shown;
    rig.calculate = async () => {
      throw new TerminalError("query_failed", "no such column");
    };
    await rig.working(async () => {
      await ask("async");
      await until(async () => (await ask("force_cache")).query_status?.complete === true);
    });
    rig.calculate = async () => [[7]];
    server.nowMs += 1000;
    expect(await ask("blocking")).toMatchObject({ result: [[7]], query_status: null });
    expect(await ask("force_cache")).toMatchObject({ result: [[7]], query_status: null });
  });
});
