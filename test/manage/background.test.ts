import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openQueries, QUERY_QUEUE, type Queries } from "../../src/manage/mod.ts";
import { questionOf } from "../../src/manage/query/question.ts";
import { findEnvironment } from "../../src/metadata/mod.ts";
import type { runQuery } from "../../src/query/mod.ts";
import { connectBus, type Task, type TaskOutcome, type WorkQueue } from "../../src/stream/mod.ts";
import { RetryableError, TerminalError } from "../../src/types/mod.ts";
import { type RunningBroker, startTestBroker, until } from "../support/broker.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

interface Status {
  query_status: {
    id: string;
    complete: boolean;
    error: boolean;
    error_message: string | null;
    results: { results: unknown } | null;
    pickup_time: string | null;
    end_time: string | null;
    task_id: string;
  };
}

let broker: RunningBroker;
let queue: WorkQueue;
let server: ManageServer;
/** Calculations so far, and how they end. */
let begun = 0;
let aborted = 0;
let calculate: (signal: AbortSignal) => Promise<unknown[]>;

beforeAll(async () => {
  broker = await startTestBroker();
  queue = broker.bus.workQueue({ ...QUERY_QUEUE, ackWaitMs: 1_000, log: () => {} });
  server = await startManage({}, queue);
  server.runQuery = (async (_node: unknown, context: Parameters<typeof runQuery>[1]) => {
    begun++;
    context.signal?.addEventListener("abort", () => aborted++);
    return { results: await calculate(context.signal!), hasMore: false };
  }) as unknown as typeof runQuery;
});
afterAll(async () => {
  await server.stop();
  await broker.stop();
});
beforeEach(() => {
  begun = 0;
  aborted = 0;
  calculate = async () => [[begun]];
});

const path = "/api/environments/1/query/";
let number = 0;
/** A query that nothing else asks. */
const sql = () => ({ kind: "HogQLQuery", query: `select count() + ${++number} from events` });
const ask = (body: object) => server.send("POST", path, { body });
const poll = async (id: string) => {
  const reply = await server.send("GET", `${path}${id}/`);
  return { status: reply.status, ...(reply.json as Status).query_status };
};

/** Another process on the same record store and broker: what answers queries there. */
function otherProcess(): Queries {
  const { config, db, now, log } = server.deps;
  const run: typeof runQuery = (node, context) => server.runQuery(node, context);
  const lake = { query: () => Promise.reject(new Error("no lake in this test")), close: async () => {} };
  return openQueries({ config, db, now, log, lake, runQuery: run, queue });
}

/** Takes background queries until `body` has ended. */
async function working<T>(body: () => Promise<T>, queries: Queries = server.deps.queries): Promise<T> {
  const stop = queue.work(1, (task) => queries.jobs.run(task));
  try {
    return await body();
  } finally {
    await stop();
  }
}

/** A calculation that ends only when it is told to. */
function hang() {
  calculate = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new TerminalError("query_cancelled", "the query was cancelled")));
    });
}

describe("a background query", () => {
  test("is queued, runs in any process, and its result is there for every other", async () => {
    const id = crypto.randomUUID();
    const reply = await ask({ query: sql(), refresh: "force_async", client_query_id: id });
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({
      query_status: {
        id,
        team_id: 1,
        query_async: true,
        complete: false,
        error: false,
        error_message: null,
        results: null,
        pickup_time: null,
        end_time: null,
        labels: null,
        query_progress: null,
      },
    } as never);
    expect(await poll(id)).toMatchObject({ status: 202, complete: false });
    const shown = (await server.send("GET", `${path}${id}/?show_progress=true`)).json as Status;
    expect(shown.query_status).toMatchObject({ query_progress: { time_elapsed: 0, rows_read: null } });
    await working(async () => {
      await until(async () => (await poll(id)).complete);
    }, otherProcess());
    expect(await poll(id)).toMatchObject({
      status: 200,
      complete: true,
      error: false,
      results: { results: [[1]], is_cached: true, cache_key: expect.stringMatching(/^cache_/), timezone: "UTC" },
      pickup_time: expect.any(String),
      end_time: expect.any(String),
    } as never);
    expect(begun).toBe(1);
  });

  test("runs again under the same id once it is done", async () => {
    const id = crypto.randomUUID();
    const query = sql();
    const run = async () => {
      const reply = await ask({ query, refresh: "force_async", client_query_id: id });
      await until(async () => (await poll(id)).complete);
      return (reply.json as Status).query_status.task_id;
    };
    await working(async () => expect(await run()).not.toBe(await run()));
    expect(begun).toBe(2);
  });

  test("says why it failed, but nothing of the inside", async () => {
    const failing = async (error: Error) => {
      calculate = () => Promise.reject(error);
      const id = crypto.randomUUID();
      await ask({ query: sql(), async: true, client_query_id: id });
      await until(async () => (await poll(id)).complete);
      return poll(id);
    };
    await working(async () => {
      expect(await failing(new TerminalError("invalid_hogql", "no field x"))).toMatchObject({
        status: 400,
        complete: true,
        error: true,
        error_message: "no field x",
        results: null,
      });
      expect(await failing(new Error("/secret/path"))).toMatchObject({
        status: 500,
        error: true,
        error_message: null,
      });
    });
  });

  test("is tried again where that may help", async () => {
    calculate = async () => {
      if (begun === 1) throw new RetryableError("query_process_died", "died");
      return [["second"]];
    };
    const id = crypto.randomUUID();
    await ask({ query: sql(), refresh: "force_async", client_query_id: id });
    await working(() => until(async () => (await poll(id)).complete));
    expect(await poll(id)).toMatchObject({ status: 200, results: { results: [["second"]] } });
  });

  test("of another project cannot be seen, and ending it there ends nothing", async () => {
    const id = crypto.randomUUID();
    await ask({ query: sql(), refresh: "force_async", client_query_id: id });
    const other = (await server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const foreign = `/api/environments/${other.id}/query/${id}/`;
    expect((await server.send("GET", foreign)).json).toMatchObject({
      code: "not_found",
      detail: `Query ${id} not found for team ${other.id}`,
    } as never);
    expect((await server.send("DELETE", foreign)).status).toBe(200);
    expect((await poll(id)).status).toBe(202);
    await working(() => until(async () => (await poll(id)).complete));
  });

  test("is refused while the broker is away, and leaves nothing behind", async () => {
    const away = await startManage();
    const id = crypto.randomUUID();
    const body = { query: sql(), refresh: "force_async", client_query_id: id };
    expect((await away.send("POST", path, { body })).status).toBe(503);
    expect((await away.send("GET", `${path}${id}/`)).status).toBe(404);
    await away.stop();
  });
});

describe("whoever had it may die", () => {
  const begin = async () => {
    const id = crypto.randomUUID();
    await ask({ query: sql(), refresh: "force_async", client_query_id: id });
    return id;
  };

  test("then another process takes it", async () => {
    const id = await begin();
    const dying = await connectBus(broker.url);
    const lost = Promise.withResolvers<TaskOutcome>();
    const taken = Promise.withResolvers<void>();
    dying.workQueue({ ...QUERY_QUEUE, ackWaitMs: 1_000, log: () => {} }).work(1, () => {
      taken.resolve();
      return lost.promise;
    });
    await taken.promise;
    await dying.close();
    await working(() => until(async () => (await poll(id)).complete));
    expect(await poll(id)).toMatchObject({ status: 200, error: false });
    lost.resolve({ kind: "done" });
  });

  test("but not for ever", async () => {
    const id = await begin();
    let deliveries = 0;
    // As processes that die over it would leave it.
    const stop = queue.work(1, async (task: Task) => {
      deliveries = task.deliveries;
      return task.deliveries <= 3 ? { kind: "again", pauseMs: 1 } : server.deps.queries.jobs.run(task);
    });
    await until(async () => (await poll(id)).complete);
    await stop();
    expect(deliveries).toBe(4);
    expect(await poll(id)).toMatchObject({ status: 400, error_message: "The query was given up after 3 attempts." });
    expect(begun).toBe(0);
  });
});

describe("ending a query", () => {
  test.each(["this process", "another process"])("that runs in %s", async (where) => {
    hang();
    const id = crypto.randomUUID();
    await ask({ query: sql(), refresh: "force_async", client_query_id: id });
    const runner = where === "this process" ? server.deps.queries : otherProcess();
    await working(async () => {
      await until(() => begun === 1);
      expect((await server.send("DELETE", `${path}${id}/`)).json as object).toEqual({ message: "Query task revoked" });
      await until(() => aborted === 1);
    }, runner);
    expect((await poll(id)).status).toBe(404);
  });

  test("that somebody waits for, by the id the client gave it, from another process", async () => {
    hang();
    const id = crypto.randomUUID();
    const waiting = ask({ query: sql(), refresh: "force_blocking", client_query_id: id });
    await until(() => begun === 1);
    await otherProcess().cancels.order(1, "another id");
    await otherProcess().cancels.order(2, id);
    expect(aborted).toBe(0);
    await otherProcess().cancels.order(1, id);
    expect((await waiting).json).toMatchObject({ code: "query_cancelled" } as never);
    expect(aborted).toBe(1);
  });

  test("of an insight, through its cancel endpoint", async () => {
    hang();
    const query = { kind: "InsightVizNode", source: { kind: "TrendsQuery", series: [{ kind: "EventsNode" }] } };
    const { id } = (await server.send("POST", "/api/environments/1/insights/", { body: { query } })).json as {
      id: number;
    };
    const waiting = server.send("GET", `/api/environments/1/insights/${id}/?refresh=blocking&client_query_id=mine`);
    await until(() => begun === 1);
    const cancel = (body: object) => server.send("POST", "/api/environments/1/insights/cancel/", { body });
    expect((await cancel({})).json as object).toEqual({
      type: "validation_error",
      code: "invalid_input",
      detail: "Field is required.",
      attr: "client_query_id",
    });
    const reply = await cancel({ client_query_id: "mine" });
    expect([reply.status, reply.text]).toEqual([200, ""]);
    expect((await waiting).status).toBe(400);
    expect((await cancel({ client_query_id: "unknown" })).status).toBe(200);
  });

  test("before anybody took it, and one that is done", async () => {
    const id = crypto.randomUUID();
    await ask({ query: sql(), refresh: "force_async", client_query_id: id });
    await server.send("DELETE", `${path}${id}/`);
    const later = crypto.randomUUID();
    await ask({ query: sql(), refresh: "force_async", client_query_id: later });
    await working(() => until(async () => (await poll(later)).complete));
    expect(begun).toBe(1);
    expect((await server.send("DELETE", `${path}${later}/`)).json as object).toEqual({
      message: "Query already complete",
    });
    expect((await poll(later)).status).toBe(200);
  });

  test("does not end one that others wait for, too", async () => {
    const gate = Promise.withResolvers<unknown[]>();
    calculate = () => gate.promise;
    const query = sql();
    const leaves = new AbortController();
    const first = server.send("POST", path, { body: { query }, signal: leaves.signal }).catch(() => "left");
    await until(() => begun === 1);
    const second = ask({ query, client_query_id: "second" });
    const third = ask({ query });
    const waitingFor = () => server.deps.queries.calculator.waiting;
    await until(() => waitingFor() === 3);
    leaves.abort();
    expect(await first).toBe("left");
    await server.deps.queries.cancels.order(1, "second");
    expect((await second).status).toBe(400);
    await until(() => waitingFor() === 1);
    expect(aborted).toBe(0);
    gate.resolve([["third"]]);
    expect((await third).json).toMatchObject({ results: [["third"]] } as never);
    expect(begun).toBe(1);
  });
});

describe("what many ask for at once is calculated once", () => {
  const CLIENTS = 100;

  /** Lets a calculation go on when all clients wait for it. */
  function gate() {
    const open = Promise.withResolvers<unknown[]>();
    calculate = () => open.promise;
    return open;
  }

  test.each(["blocking", "force_blocking", "async_except_on_cache_miss"])("by %s of one insight", async (refresh) => {
    const open = gate();
    const source = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: `e${++number}` }] };
    const body = { query: { kind: "InsightVizNode", source } };
    const { id } = (await server.send("POST", "/api/environments/1/insights/", { body })).json as { id: number };
    const url = `/api/environments/1/insights/${id}/?refresh=${refresh}`;
    const replies = Array.from({ length: CLIENTS }, () => server.send("GET", url));
    await until(() => server.deps.queries.calculator.waiting === CLIENTS);
    open.resolve([["once"]]);
    for (const reply of await Promise.all(replies)) {
      expect(reply.json).toMatchObject({ result: [["once"]], is_cached: false } as never);
    }
    expect(begun).toBe(1);
  });

  test("in the background", async () => {
    const query = sql();
    const replies = await Promise.all(Array.from({ length: CLIENTS }, () => ask({ query, refresh: "force_async" })));
    const ids = replies.map((reply) => (reply.json as Status).query_status.task_id);
    expect(new Set(ids).size).toBe(1);
    const { id } = (replies[0]!.json as Status).query_status;
    await working(() => until(async () => (await poll(id)).complete));
    expect(begun).toBe(1);
  });

  test("also when they ask different processes", async () => {
    const open = gate();
    const query = sql();
    const environment = (await server.db.read((tx) => findEnvironment(tx, 1)))!;
    const others = Array.from({ length: 3 }, otherProcess);
    const { signal } = new AbortController();
    const answers = others.map((other) =>
      other.calculator.calculate(questionOf(environment, query, { nowMs: server.nowMs, hasTestClock: false }), signal),
    );
    const here = ask({ query });
    await until(() => begun === 1 && server.deps.queries.calculator.waiting === 1);
    open.resolve([["once"]]);
    for (const answer of await Promise.all(answers)) expect(answer.response).toMatchObject({ results: [["once"]] });
    expect((await here).json).toMatchObject({ results: [["once"]] } as never);
    expect(begun).toBe(1);
  });

  test("but not when newer data has been stored meanwhile", async () => {
    const open = gate();
    const query = sql();
    const first = ask({ query, refresh: "force_blocking" });
    await until(() => begun === 1);
    await server.db.write(
      (tx) => tx`insert into project_versions (team_id, version, merges_version) values (1, 1, 0)
        on conflict (team_id) do update set version = project_versions.version + 1`,
    );
    const second = ask({ query, refresh: "force_blocking" });
    await until(() => begun === 2);
    open.resolve([["x"]]);
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
  });
});
