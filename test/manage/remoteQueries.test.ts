import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { REMOTE_SERVICE, RemoteAnswerer } from "../../src/manage/mod.ts";
import { questionOf } from "../../src/manage/query/question.ts";
import { ranked } from "../../src/manage/query/rank.ts";
import { readQuestion, writtenQuestion } from "../../src/manage/query/writtenQuestion.ts";
import { findEnvironment } from "../../src/metadata/mod.ts";
import { HogqlError, type QueryContext, type runQuery } from "../../src/query/mod.ts";
import { type Bus, connectBus, type Offer } from "../../src/stream/mod.ts";
import { RetryableError, TerminalError } from "../../src/types/mod.ts";
import { until } from "../support/broker.ts";
import type { Reply } from "../support/manage.ts";
import { BackgroundRig, QUERY_PATH } from "./backgroundRig.ts";

/** One process of DuckDB everywhere: so two questions of a project make a process full. */
const SETTINGS = { queryProcesses: 1 };

let rig: BackgroundRig;
const helpers: Helper[] = [];
beforeAll(async () => {
  rig = await BackgroundRig.start(SETTINGS);
});
afterAll(() => rig.stop());
beforeEach(() => rig.reset());
afterEach(async () => {
  await Promise.all(helpers.splice(0).map((helper) => helper.stop()));
  await until(() => rig.server.deps.queries.remote!.processes === 0);
});

type Calculate = (context: QueryContext) => Promise<object>;

/** A `weir query` whose calculations a test holds in its hand. */
class Helper {
  /** Projects of its calculations. */
  readonly begun: number[] = [];
  aborted = 0;
  /** Bytes of its answers, as messages. */
  readonly answered: number[] = [];
  calculate: Calculate = async () => ({ results: [[this.id]], hasMore: false });

  private constructor(
    readonly id: string,
    private readonly bus: Bus,
  ) {}

  private offer: Offer | null = null;

  static async start(id: string): Promise<Helper> {
    const helper = new Helper(id, await connectBus(rig.broker.url));
    helpers.push(helper);
    const run = (async (_node, context) => {
      helper.begun.push(context.teamId);
      context.signal?.addEventListener("abort", () => helper.aborted++);
      return helper.calculate(context);
    }) as typeof runQuery;
    const { calculator } = rig.otherProcess(run);
    const answerer = new RemoteAnswerer({ ...rig.server.deps, config: { ...rig.server.deps.config }, calculator });
    helper.offer = helper.bus.offer({
      service: REMOTE_SERVICE,
      id,
      place: id,
      take(payload) {
        const taken = answerer.take(payload);
        if ("busy" in taken) return taken;
        return {
          async work(signal) {
            const answer = await taken.work(signal);
            helper.answered.push(Buffer.byteLength(answer));
            return answer;
          },
        };
      },
      facts: () => "[]",
    });
    await until(() => rig.server.deps.queries.remote!.processes === helpers.length);
    return helper;
  }

  /** Calculations that do not end before the returned function is called. */
  hold(): () => void {
    const held = holding(this.calculate);
    this.calculate = held.calculate;
    return held.letGo;
  }

  async stop(): Promise<void> {
    await this.offer!.end();
    await this.bus.close();
  }
}

/** It ends when it is let go, or by its signal. */
function holding(calculate: Calculate) {
  const open = Promise.withResolvers<void>();
  return {
    letGo: open.resolve,
    calculate: async (context: QueryContext) => {
      const cancelled = new Promise<never>((_, reject) =>
        context.signal!.addEventListener("abort", () => reject(new TerminalError("query_cancelled", "cancelled"))),
      );
      await Promise.race([open.promise, cancelled]);
      return calculate(context);
    },
  };
}

/** Two of them, in the order in which they are asked for a project. */
async function pair(teamId = 1): Promise<[Helper, Helper]> {
  const both = [await Helper.start("a"), await Helper.start("b")];
  const order = ranked(
    [...both].map(({ id }) => ({ id, place: id })),
    teamId,
  );
  return order.map(({ id }) => both.find((helper) => helper.id === id)!) as [Helper, Helper];
}

const resultsOf = (reply: Reply): unknown => (reply.json as { results?: unknown }).results;
const pathOf = (teamId: number) => `/api/environments/${teamId}/query/`;
const askOf = (teamId: number) => rig.server.send("POST", pathOf(teamId), { body: { query: rig.sql() } });

/** A project whose questions go to another process first than those of project 1. */
async function projectOfTheOther(): Promise<number> {
  const firstOf = (teamId: number) =>
    ranked(
      ["a", "b"].map((id) => ({ id, place: id })),
      teamId,
    )[0]!.id;
  for (;;) {
    const { json } = await rig.server.send("POST", "/api/projects/", { body: { name: crypto.randomUUID() } });
    const { id } = json as { id: number };
    if (firstOf(id) !== firstOf(1)) return id;
  }
}

describe("a question is calculated", () => {
  test("by the process that ranks first for its project, each time; other projects by others", async () => {
    const [first, second] = await pair();
    for (let i = 0; i < 3; i++) expect(resultsOf(await askOf(1))).toEqual([[first.id]]);
    const other = await projectOfTheOther();
    expect(resultsOf(await askOf(other))).toEqual([[second.id]]);
    expect([first.begun, second.begun, rig.begun]).toEqual([[1, 1, 1], [other], 0]);
  });

  test("once, also where many ask; what is kept is the answer afterwards", async () => {
    const helper = await Helper.start("a");
    const letGo = helper.hold();
    const query = rig.sql();
    const replies = Array.from({ length: 20 }, () => rig.ask({ query, refresh: "blocking" }));
    await until(() => rig.server.deps.queries.calculator.waiting === 20);
    letGo();
    for (const reply of await Promise.all(replies)) {
      expect(reply.json).toMatchObject({ results: [["a"]], is_cached: false } as never);
    }
    expect((await rig.ask({ query, refresh: "blocking" })).json).toMatchObject({
      results: [["a"]],
      is_cached: true,
    } as never);
    expect([helper.begun, rig.begun]).toEqual([[1], 0]);
  });

  test("at the time that it was asked at", async () => {
    const helper = await Helper.start("a");
    helper.calculate = async ({ nowMs }) => ({ results: [[nowMs]], hasMore: false });
    rig.server.nowMs += 7;
    const reply = await askOf(1);
    expect(resultsOf(reply)).toEqual([[rig.server.nowMs]]);
    expect((reply.json as { last_refresh: string }).last_refresh).toBe(new Date(rig.server.nowMs).toISOString());
  });

  test("here, where the other cannot, for now", async () => {
    const helper = await Helper.start("a");
    helper.calculate = () => Promise.reject(new RetryableError("query_io_failed", "its disk is full"));
    rig.calculate = async () => [["here"]];
    expect(resultsOf(await askOf(1))).toEqual([["here"]]);
    expect(helper.begun).toEqual([1]);
  });

  test("here, where it means something else there", async () => {
    const helper = await Helper.start("a");
    rig.calculate = async () => [["here"]];
    const { db } = rig.server;
    const environment = (await db.read((tx) => findEnvironment(tx, 1)))!;
    const asked = { nowMs: rig.server.nowMs, hasTestClock: false, caller: null };
    // As one that was read before the settings changed.
    const question = questionOf({ ...environment, timezone: "Asia/Tokyo" }, rig.sql(), asked);
    const { calculator } = rig.server.deps.queries;
    const { text } = await calculator.calculate(question, new AbortController().signal, { anywhere: true });
    expect(text.parsed()).toMatchObject({ results: [["here"]] });
    expect(helper.begun).toEqual([]);
  });
});

test("a written question is the same question, with what it may name and the time of a test", async () => {
  const environment = (await rig.server.db.read((tx) => findEnvironment(tx, 1)))!;
  const node = { kind: "HogQLQuery", query: "select count() from persons where id in cohort 3 and matchesAction(6)" };
  const visible = { isOpen: true, except: [4], makerId: 5 };
  const caller = { nameable: { cohorts: visible, actions: { ...visible, except: [7] } } };
  for (const hasTestClock of [true, false]) {
    const question = questionOf(environment, node, { nowMs: 1_000, hasTestClock, caller });
    const read = readQuestion(writtenQuestion(question), environment, question.nowMs);
    expect({ ...read, query: read.query.node }).toEqual({ ...question, query: question.query.node });
    expect(read.nameable).toEqual(caller.nameable);
  }
});

test("a result that is too long for a message comes from the store", async () => {
  const helper = await Helper.start("a");
  // Quotes are the longest in a message.
  for (const rows of [2_000, 4_000, 40_000]) {
    const results = Array.from({ length: rows }, (_, i) => [i, '"'.repeat(50)]);
    helper.calculate = async () => ({ results, hasMore: false });
    expect(resultsOf(await askOf(1))).toEqual(results);
  }
  expect([helper.begun, rig.begun]).toEqual([[1, 1, 1], 0]);
  const [short, long, longest] = helper.answered as [number, number, number];
  expect(short).toBeGreaterThan(300_000);
  expect(short).toBeLessThan(600_000);
  for (const bytes of [long, longest]) expect(bytes).toBeLessThan(1_000);
});

describe("a client is told the same", () => {
  const ERRORS = [
    new HogqlError("no such function", 7, 12),
    new HogqlError("no place"),
    new TerminalError("invalid_query", "series.0: unknown"),
    new TerminalError("query_failed", "Conversion Error: not a number"),
    new TerminalError("query_memory", "needs too much memory"),
    new TerminalError("result_too_large", "too large"),
    new TerminalError("query_timeout", "the query did not end within 60000 ms"),
    new TerminalError("segment_unreadable", "a file cannot be read"),
    new TypeError("a defect"),
  ];
  const told = ({ status, text, headers }: Reply) => [status, text, headers.get("retry-after")];

  test("by errors of here and there", async () => {
    const fails = async (run: (error: Error) => void) => {
      const replies = [];
      for (const error of ERRORS) {
        run(error);
        replies.push(told(await askOf(1)));
      }
      return replies;
    };
    const here = await fails((error) => {
      rig.calculate = () => Promise.reject(error);
    });
    expect(new Set(here.map(([status]) => status))).toEqual(new Set([400, 500, 504]));
    rig.calculate = async () => [["here"]];
    const helper = await Helper.start("a");
    const there = await fails((error) => {
      helper.calculate = () => Promise.reject(error);
    });
    expect(there).toEqual(here);
    expect(helper.begun).toHaveLength(ERRORS.length);
  });
});

describe("a calculation elsewhere ends", () => {
  test("by its id, and when its client goes away", async () => {
    const helper = await Helper.start("a");
    helper.hold();
    const id = crypto.randomUUID();
    const ended = rig.ask({ query: rig.sql(), client_query_id: id });
    await until(() => helper.begun.length === 1);
    await rig.server.send("DELETE", `${QUERY_PATH}${id}/`);
    expect((await ended).json).toMatchObject({ code: "query_cancelled" } as never);
    await until(() => helper.aborted === 1);
    const client = new AbortController();
    const left = rig.server.send("POST", QUERY_PATH, { body: { query: rig.sql() }, signal: client.signal });
    left.catch(() => {});
    await until(() => helper.begun.length === 2);
    client.abort();
    await until(() => helper.aborted === 2);
    await until(() => rig.server.deps.queries.remote!.waiting === 0);
    expect(rig.begun).toBe(0);
  });
});

describe("a project with many questions", () => {
  /** Questions of the project that are begun one after the other, until so many are. */
  async function storm(count: number, begun: () => number): Promise<Promise<Reply>[]> {
    const replies: Promise<Reply>[] = [];
    for (let i = 1; i <= count; i++) {
      replies.push(askOf(1));
      await until(() => begun() === i);
    }
    return replies;
  }

  test("fills the first process, then the next, then this one, then all alike; others are answered", async () => {
    const [first, second] = await pair();
    const here = holding(async () => ({}));
    rig.calculate = async (_signal, context) => {
      if (context.teamId === 1) await here.calculate(context);
      return [["here"]];
    };
    const free = [first, second].map((helper) => {
      const held = holding(helper.calculate);
      const { calculate } = helper;
      helper.calculate = (context) => (context.teamId === 1 ? held : { calculate }).calculate(context);
      return held.letGo;
    });
    const begun = () => [first.begun.length, second.begun.length, rig.begun];
    const sum = () => begun().reduce((a, b) => a + b);
    const replies = await storm(2, sum);
    expect(begun()).toEqual([2, 0, 0]);
    replies.push(...(await storm(2, () => sum() - 2)));
    expect(begun()).toEqual([2, 2, 0]);
    replies.push(...(await storm(2, () => sum() - 4)));
    expect(begun()).toEqual([2, 2, 2]);
    replies.push(...(await storm(3, () => sum() - 6)));
    expect(begun()).toEqual([3, 3, 3]);
    const other = await projectOfTheOther();
    expect(resultsOf(await askOf(other))).toEqual([[second.id]]);
    for (const letGo of [...free, here.letGo]) letGo();
    for (const reply of await Promise.all(replies)) expect(reply.status).toBe(200);
  });

  test("leaves to this process what is beyond its bound", async () => {
    const helper = await Helper.start("a");
    const { config } = rig.server.deps;
    const bounds = { ...config };
    Object.assign(config, { remoteQueriesMax: 0 });
    try {
      rig.calculate = async () => [["here"]];
      expect(resultsOf(await askOf(1))).toEqual([["here"]]);
      expect(helper.begun).toEqual([]);
    } finally {
      Object.assign(config, bounds);
    }
  });
});
