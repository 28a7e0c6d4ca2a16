import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { LakeQuery, QueryOutcome } from "../../src/lake/mod.ts";
import { takeBackgroundQueries } from "../../src/manage/mod.ts";
import { takeJob } from "../../src/metadata/mod.ts";
import { connectBus, type Task, type TaskOutcome } from "../../src/stream/mod.ts";
import { RetryableError, TerminalError } from "../../src/types/mod.ts";
import { until } from "../support/broker.ts";
import { startManage } from "../support/manage.ts";
import { BackgroundRig, QUERY_PATH, QUEUE, type Status } from "./backgroundRig.ts";

let rig: BackgroundRig;
beforeAll(async () => {
  rig = await BackgroundRig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.reset());

describe("a background query", () => {
  test("is queued, runs in any process, and its result is there for every other", async () => {
    const id = crypto.randomUUID();
    const reply = await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: id });
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
    expect(await rig.poll(id)).toMatchObject({ status: 202, complete: false });
    const shown = (await rig.server.send("GET", `${QUERY_PATH}${id}/?show_progress=true`)).json as Status;
    expect(shown.query_status).toMatchObject({ query_progress: { time_elapsed: 0, rows_read: null } });
    await rig.working(async () => {
      await until(async () => (await rig.poll(id)).complete);
    }, rig.otherProcess());
    expect(await rig.poll(id)).toMatchObject({
      status: 200,
      complete: true,
      error: false,
      results: { results: [[1]], is_cached: true, cache_key: expect.stringMatching(/^cache_/), timezone: "UTC" },
      pickup_time: expect.any(String),
      end_time: expect.any(String),
    } as never);
    expect(rig.begun).toBe(1);
  });

  test("an insight's file is there as soon as its result is: 202 until then", async () => {
    const body = { query: rig.sql() };
    const { id } = (await rig.server.send("POST", "/api/environments/1/insights/", { body })).json as { id: number };
    const file = () => rig.server.send("GET", `/api/environments/1/insights/${id}/?format=csv&refresh=async`);
    const first = await file();
    expect(first.status).toBe(202);
    expect(first.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(first.text).toContain("query_status.complete");
    await rig.working(async () => {
      await until(async () => (await file()).status === 200);
    }, rig.otherProcess());
    expect((await file()).text).toContain("\r\n1\r\n");
    expect(rig.begun).toBe(1);
  });

  test("tells how far its statement is while it runs", async () => {
    const outcome = Promise.withResolvers<QueryOutcome>();
    rig.server.lake = {
      query: ({ onProgress }) => {
        onProgress?.({ rowsRead: 250, rowsTotal: 1_000 });
        return outcome.promise;
      },
      close: async () => {},
    };
    const statement: LakeQuery = {
      teamId: 1,
      range: { fromMs: null, toMs: null },
      sql: () => ({ text: "select 1", params: [] }),
      deadlineMs: 1_000,
      maxRows: 1,
    };
    const begun = Promise.withResolvers<void>();
    rig.calculate = async (_signal, { lake }) => {
      const answered = lake.query(statement);
      begun.resolve();
      return [(await answered).rowCount];
    };
    const id = crypto.randomUUID();
    await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: id });
    const progress = async () =>
      ((await rig.server.send("GET", `${QUERY_PATH}${id}/?show_progress=true`)).json as Status).query_status
        .query_progress;
    expect(await progress()).toMatchObject({ rows_read: null, estimated_rows_total: null });
    await rig.working(async () => {
      await begun.promise;
      expect(await progress()).toEqual({
        time_elapsed: 0,
        bytes_read: null,
        rows_read: 250,
        estimated_rows_total: 1_000,
        active_cpu_time: null,
      });
      outcome.resolve({ types: [], rowsJson: "[]", rowCount: 7, hasMore: false, elapsedMs: 0, files: 0, keys: [] });
      await until(async () => (await rig.poll(id)).complete);
    });
    expect(await rig.poll(id)).toMatchObject({ results: { results: [7] } });
  });

  test("runs again under the same id once it is done", async () => {
    const id = crypto.randomUUID();
    const query = rig.sql();
    const run = async () => {
      const reply = await rig.ask({ query, refresh: "force_async", client_query_id: id });
      await until(async () => (await rig.poll(id)).complete);
      return (reply.json as Status).query_status.task_id;
    };
    await rig.working(async () => expect(await run()).not.toBe(await run()));
    expect(rig.begun).toBe(2);
  });

  test("says why it failed, but nothing of the inside", async () => {
    const failing = async (error: Error) => {
      rig.calculate = () => Promise.reject(error);
      const id = crypto.randomUUID();
      await rig.ask({ query: rig.sql(), async: true, client_query_id: id });
      await until(async () => (await rig.poll(id)).complete);
      return rig.poll(id);
    };
    await rig.working(async () => {
      expect(await failing(new TerminalError("invalid_hogql", "no field x"))).toMatchObject({
        status: 400,
        complete: true,
        error: true,
        error_message: "no field x",
        results: null,
      });
      for (const error of [new Error("/secret/path"), new TerminalError("segment_unreadable", "of the inside")]) {
        expect(await failing(error)).toMatchObject({ status: 500, error: true, error_message: null });
      }
    });
  });

  test("is tried again where that may help", async () => {
    rig.calculate = async () => {
      if (rig.begun === 1) throw new RetryableError("query_process_died", "died");
      return [["second"]];
    };
    const id = crypto.randomUUID();
    await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: id });
    await rig.working(() => until(async () => (await rig.poll(id)).complete));
    expect(await rig.poll(id)).toMatchObject({ status: 200, results: { results: [["second"]] } });
  });

  test("of another project cannot be seen, and ending it there ends nothing", async () => {
    const id = crypto.randomUUID();
    await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: id });
    const other = (await rig.server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const foreign = `/api/environments/${other.id}/query/${id}/`;
    expect((await rig.server.send("GET", foreign)).json).toMatchObject({
      code: "not_found",
      detail: `Query ${id} not found for team ${other.id}`,
    } as never);
    expect((await rig.server.send("DELETE", foreign)).status).toBe(200);
    expect((await rig.poll(id)).status).toBe(202);
    await rig.working(() => until(async () => (await rig.poll(id)).complete));
  });

  test("is refused while the broker is away, and leaves nothing behind", async () => {
    const away = await startManage();
    const id = crypto.randomUUID();
    const body = { query: rig.sql(), refresh: "force_async", client_query_id: id };
    expect((await away.send("POST", QUERY_PATH, { body })).status).toBe(503);
    expect((await away.send("GET", `${QUERY_PATH}${id}/`)).status).toBe(404);
    await away.stop();
  });
});

describe("projects take turns", () => {
  const begin = async (project: number) => {
    const id = crypto.randomUUID();
    const body = { query: rig.sql(), refresh: "force_async", client_query_id: id };
    const reply = await rig.server.send("POST", `/api/environments/${project}/query/`, { body });
    return { id, status: reply.status };
  };
  const isDone = async (project: number, id: string) => {
    const reply = await rig.server.send("GET", `/api/environments/${project}/query/${id}/`);
    return (reply.json as Status).query_status.complete;
  };

  test("one that begins one query does not wait for the many of another", async () => {
    const { id: other } = (await rig.server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const order: number[] = [];
    rig.calculate = async (_signal, { teamId }) => {
      order.push(teamId);
      return [];
    };
    const many: string[] = [];
    for (let i = 0; i < 40; i++) many.push((await begin(1)).id);
    const { id } = await begin(other);
    await rig.working(async () => {
      await until(() => isDone(other, id));
      await until(async () => (await Promise.all(many.map((one) => isDone(1, one)))).every(Boolean));
    });
    expect(order.indexOf(other)).toBeLessThan(3);
    expect(order).toHaveLength(41);
  });

  test("nor for one that does not end, and of one project no more run than are asked for at once", async () => {
    const { id: other } = (await rig.server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const ends = Promise.withResolvers<unknown[]>();
    let running = 0;
    let most = 0;
    rig.calculate = async (_signal, { teamId }) => {
      if (teamId === other) return [];
      most = Math.max(most, ++running);
      await ends.promise;
      running--;
      return [];
    };
    const endless = await Promise.all([begin(1), begin(1)]);
    await rig.working(async () => {
      await until(() => running === 1);
      for (let i = 0; i < 2; i++) {
        const { id } = await begin(other);
        await until(() => isDone(other, id));
      }
      ends.resolve([]);
      await until(async () => (await Promise.all(endless.map(({ id }) => isDone(1, id)))).every(Boolean));
    });
    expect(most).toBe(1);
  });

  test("a project stays with the process that has its files near, where that has nothing to do", async () => {
    const { id: project } = (await rig.server.send("POST", "/api/projects/", { body: {} })).json as { id: number };
    const near: string[] = [];
    const far: string[] = [];
    const [one, two] = [rig.otherProcess(), rig.otherProcess()];
    const work = (queries: typeof one, taken: string[]) => {
      const run: typeof queries.jobs.run = async (task, how) => {
        const before = rig.begun;
        const outcome = await queries.jobs.run(task, how);
        if (rig.begun > before) taken.push(task.payload);
        return outcome;
      };
      return takeBackgroundQueries(rig.queue, { run, hasStarved: () => queries.jobs.hasStarved() }, 1);
    };
    const stops = [work(one, near)];
    const ask = async () => {
      const { id } = await begin(project);
      await until(() => isDone(project, id));
    };
    await ask();
    stops.push(work(two, far));
    for (let i = 0; i < 6; i++) await ask();
    await Promise.all(stops.map((stop) => stop()));
    expect({ near: near.length, far: far.length }).toEqual({ near: 7, far: 0 });
  });

  test("and a project can have so many waiting, while a kept result is an answer still", async () => {
    const { backgroundProjectMax } = rig.server.deps.config;
    rig.server.deps.config.backgroundProjectMax = 3;
    try {
      const begun = await Promise.all(Array.from({ length: 5 }, () => begin(1)));
      expect(begun.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429]);
    } finally {
      rig.server.deps.config.backgroundProjectMax = backgroundProjectMax;
      await rig.working(() => until(async () => rig.begun === 3));
    }
  });
});

describe("whoever had it may die", () => {
  const begin = async () => {
    const id = crypto.randomUUID();
    await rig.ask({ query: rig.sql(), refresh: "force_async", client_query_id: id });
    return id;
  };

  test("then another process takes it", async () => {
    const id = await begin();
    const dying = await connectBus(rig.broker.url);
    const lost = Promise.withResolvers<TaskOutcome>();
    const taken = Promise.withResolvers<void>();
    dying.workQueue(QUEUE).work(1, () => {
      taken.resolve();
      return lost.promise;
    });
    await taken.promise;
    await dying.close();
    await rig.working(() => until(async () => (await rig.poll(id)).complete));
    expect(await rig.poll(id)).toMatchObject({ status: 200, error: false });
    lost.resolve({ kind: "done" });
  });

  test("but not for ever", async () => {
    const id = await begin();
    const { db, now } = rig.server.deps;
    let taken = 0;
    // As processes that die over it would leave it.
    const stop = rig.queue.work(1, async (task: Task) => {
      const { taskId } = JSON.parse(task.payload) as { taskId: string };
      if (++taken > 3) return rig.server.deps.queries.jobs.run(task);
      await db.write((tx) => takeJob(tx, { taskId, worker: "dying", nowMs: now() }));
      return { kind: "again", pauseMs: 1 };
    });
    await until(async () => (await rig.poll(id)).complete);
    await stop();
    expect(taken).toBe(4);
    expect(await rig.poll(id)).toMatchObject({
      status: 400,
      error_message: "The query was given up after 3 attempts.",
    });
    expect(rig.begun).toBe(0);
  });
});
