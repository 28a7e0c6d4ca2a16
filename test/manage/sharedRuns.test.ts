import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { questionOf } from "../../src/manage/query/question.ts";
import { findEnvironment } from "../../src/metadata/mod.ts";
import { until } from "../support/broker.ts";
import { BackgroundRig, type Status } from "./backgroundRig.ts";

let rig: BackgroundRig;
beforeAll(async () => {
  rig = await BackgroundRig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.reset());

describe("what many ask for at once is calculated once", () => {
  const CLIENTS = 100;

  /** Lets a calculation go on when all clients wait for it. */
  function gate() {
    const open = Promise.withResolvers<unknown[]>();
    rig.calculate = () => open.promise;
    return open;
  }

  test.each(["blocking", "force_blocking", "async_except_on_cache_miss"])("by %s of one insight", async (refresh) => {
    const open = gate();
    const source = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: `e${rig.fresh()}` }] };
    const body = { query: { kind: "InsightVizNode", source } };
    const { id } = (await rig.server.send("POST", "/api/environments/1/insights/", { body })).json as { id: number };
    const url = `/api/environments/1/insights/${id}/?refresh=${refresh}`;
    const replies = Array.from({ length: CLIENTS }, () => rig.server.send("GET", url));
    await until(() => rig.server.deps.queries.calculator.waiting === CLIENTS);
    open.resolve([["once"]]);
    for (const reply of await Promise.all(replies)) {
      expect(reply.json).toMatchObject({ result: [["once"]], is_cached: false } as never);
    }
    expect(rig.begun).toBe(1);
  });

  test("in the background", async () => {
    const query = rig.sql();
    const replies = await Promise.all(
      Array.from({ length: CLIENTS }, () => rig.ask({ query, refresh: "force_async" })),
    );
    const ids = replies.map((reply) => (reply.json as Status).query_status.task_id);
    expect(new Set(ids).size).toBe(1);
    const { id } = (replies[0]!.json as Status).query_status;
    await rig.working(() => until(async () => (await rig.poll(id)).complete));
    expect(rig.begun).toBe(1);
  });

  test("also when they ask different processes", async () => {
    const open = gate();
    const query = rig.sql();
    const environment = (await rig.server.db.read((tx) => findEnvironment(tx, 1)))!;
    const others = Array.from({ length: 3 }, () => rig.otherProcess());
    const { signal } = new AbortController();
    const answers = others.map((other) =>
      other.calculator.calculate(
        questionOf(environment, query, { nowMs: rig.server.nowMs, hasTestClock: false, caller: null }),
        signal,
      ),
    );
    const here = rig.ask({ query });
    await until(() => rig.begun === 1 && rig.server.deps.queries.calculator.waiting === 1);
    open.resolve([["once"]]);
    for (const answer of await Promise.all(answers))
      expect(answer.text.parsed()).toMatchObject({ results: [["once"]] });
    expect((await here).json).toMatchObject({ results: [["once"]] } as never);
    expect(rig.begun).toBe(1);
  });

  test("but not when newer data has been stored meanwhile", async () => {
    const open = gate();
    const query = rig.sql();
    const first = rig.ask({ query, refresh: "force_blocking" });
    await until(() => rig.begun === 1);
    await rig.server.db.write(
      (tx) => tx`insert into project_versions (team_id, version, merges_version) values (1, 1, 0)
        on conflict (team_id) do update set version = project_versions.version + 1`,
    );
    const second = rig.ask({ query, refresh: "force_blocking" });
    await until(() => rig.begun === 2);
    open.resolve([["x"]]);
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
  });
});
