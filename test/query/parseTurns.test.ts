import { afterAll, describe, expect, test } from "bun:test";
import type { QueryContext } from "../../src/query/mod.ts";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import { contextOf, emptyLake, failure, hogql, TEXT_LIMITS } from "./support.ts";

afterAll(closeParser);

let made = 0;
/** A text of its own that takes long to parse: a thousand columns. */
const long = () =>
  `select ${Array.from({ length: 1_000 }, (_, i) => `event = '${i}'`).join(", ")}, ${made++} from events`;

const ask = (query: string, options: Partial<QueryContext> = {}) => hogql(emptyLake, query, options);

describe("projects take turns while texts are parsed", () => {
  test("one that asks little is not held up by one that asks much", async () => {
    const done: string[] = [];
    const many = Array.from({ length: 6 }, (_, i) => ask(long()).then(() => done.push(`1/${i}`)));
    await ask(`select ${made++} from events`, { teamId: 2 }).then(() => done.push("2"));
    expect(done.length).toBeLessThanOrEqual(2);
    await Promise.all(many);
    expect(done.filter((name) => name !== "2")).toEqual(["1/0", "1/1", "1/2", "1/3", "1/4", "1/5"]);
  });

  test("and not all places to wait in are one project's", async () => {
    const controller = new AbortController();
    const many = Array.from({ length: 100 }, () =>
      ask(long(), { signal: controller.signal }).catch((error) => error.code as string),
    );
    await ask(`select ${made++} from events`, { teamId: 2 });
    controller.abort();
    const codes = new Set(await Promise.all(many));
    expect(codes.has("queries_busy")).toBe(true);
    expect(codes.has("query_cancelled")).toBe(true);
  });
});

test("texts of many levels are read one after the other, each as if it were the first", async () => {
  const nested = (value: string) => `select ${"lower(".repeat(8)}${value}${")".repeat(8)} from events`;
  for (const value of ["'a'", "'b'", "event"]) {
    expect((await ask(nested(value))).hogql).toBe(
      `${nested(value).replace("select", "SELECT").replace("from", "FROM")} LIMIT 100`,
    );
    const { code } = await failure(ask(nested(`${value} +`)));
    expect(code).toBe("invalid_hogql");
  }
});

describe("the deadline of a query", () => {
  const within = (timeoutMs: number) => ({ limits: { timeoutMs, maxRows: 50_000, text: TEXT_LIMITS } });

  test("holds while it is parsed, and for those that wait", async () => {
    expect((await failure(ask(long(), within(60)))).code).toBe("query_timeout");
    const inWork = ask(long());
    expect((await failure(ask(long(), within(1)))).code).toBe("queries_busy");
    await inWork;
    expect((await ask(`select ${made++} from events`)).results).toEqual([]);
  });

  test("is that of all its statements together", async () => {
    const deadlines: number[] = [];
    const lake: QueryContext["lake"] = {
      ...emptyLake,
      async query(query) {
        deadlines.push(query.deadlineMs);
        await Bun.sleep(20);
        return emptyLake.query(query);
      },
    };
    await runQuery({ kind: "EventsQuery", select: ["*"] }, contextOf(lake));
    expect(deadlines.length).toBeGreaterThan(1);
    expect(deadlines[1]).toBeLessThanOrEqual(60_000 - 19);
  });
});
