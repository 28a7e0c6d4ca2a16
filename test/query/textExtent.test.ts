import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extentOf } from "../../src/query/hogql/syntax/extent.ts";
import { skeletonOf } from "../../src/query/hogql/syntax/prescan.ts";
import { closeParser } from "../../src/query/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

const depthOf = (text: string) => extentOf(skeletonOf(text)).depth;
const tokensOf = (text: string) => extentOf(skeletonOf(text)).tokens;
const around = (open: string, inside: string, close: string, times: number) =>
  `select ${open.repeat(times)}${inside}${close.repeat(times)}`;

test.each<[string, number]>([
  ["select 1", 0],
  ["select '((('", 0],
  ["select 1 /* ((( */ -- (((", 0],
  ["select (1), (2), [3], {x}", 1],
  ["select f(g(1), h(2))", 2],
  ["select not not not 1", 3],
  ["select not (not (1)), not 1", 4],
  ["select a not in (1, 2) and b is not null", 1],
  ["select case when a then b else c end, case when a then b end", 1],
  ["select case when a then case when b then c end end", 2],
  ["select f(case when a then 1), f(2)", 2],
  ["select properties.case, properties.case, properties.end", 1],
  ["select f(end, f(end, f(end, 1)))", 3],
  ["select f(x -> x + 1, a), f(y -> y, b)", 2],
  ["select f(x -> y -> z -> 1)", 4],
  ["select a.b.c.d, e.f", 3],
  ["select a.`b c`.d", 2],
  ["select lower(trim(person.properties.email))", 2],
  ["select f(a.b.c.d)", 3],
  ["select 1 - 2 - (3 - 4)", 1],
  [")))(", 1],
])("how deep %s nests", (text, depth) => {
  expect(depthOf(text)).toBe(depth);
});

test("tokens are words, numbers and signs outside of quotes and comments", () => {
  expect(tokensOf("")).toBe(0);
  expect(tokensOf("select a1, 2 from `x y` where b = 'c d' -- e f")).toBe(8);
  expect(tokensOf("select größe->1")).toBe(4);
});

describe("through the API", () => {
  let server: ManageServer;
  beforeAll(async () => {
    server = await startManage({ queryTextMaxDepth: 8, queryTextMaxTokens: 60, queryParseTimeoutMs: 5_000 });
  });
  afterAll(async () => {
    await server.stop();
    closeParser();
  });

  const asked = (query: object) =>
    server.send("POST", "/api/environments/1/query/", { body: { query, refresh: "force_blocking" } });
  const DEEP = "The query nests more than 8 levels deep.";
  const LONG = "The query has more than 60 words and signs.";

  test.each<[string, (times: number) => string, string]>([
    ["calls", (n) => around("lower(", "event", ")", n), DEEP],
    ["arrays", (n) => around("[", "1", "]", n), DEEP],
    ["subqueries", (n) => `select * from ${"(select * from ".repeat(n)}events${")".repeat(n)}`, DEEP],
    ["CASE", (n) => around("case when 1 then ", "1", " end", n), DEEP],
    ["NOT", (n) => around("not ", "1", "", n), DEEP],
    ["members", (n) => around("properties", ".a", "", 1) + ".a".repeat(n - 1), DEEP],
    ["lambdas", (n) => around("arrayMap(x -> ", "x", ", a)", n / 2), DEEP],
    [
      "columns",
      (n) =>
        `select ${Array(n * 4)
          .fill("1")
          .join(", ")}`,
      LONG,
    ],
  ])(
    "%s are answered up to the limit, and refused beyond it, by queries and their check alike",
    async (_, make, message) => {
      const [most, more] = [make(message === DEEP ? 8 : 7), make(message === DEEP ? 10 : 8)];
      const kept = (await asked({ kind: "HogQLMetadata", language: "hogQL", query: most })).json;
      expect(JSON.stringify(kept)).not.toContain("The query ");
      const refused = await asked({ kind: "HogQLQuery", query: more });
      expect(refused.status).toBe(400);
      expect(refused.json).toMatchObject({ type: "validation_error", detail: expect.stringContaining(message) });
      const checked = (await asked({ kind: "HogQLMetadata", language: "hogQL", query: more })).json;
      expect(checked).toMatchObject({ isValid: false, errors: [{ message }] });
    },
  );

  test("an expression inside of an insight is looked at, too", async () => {
    const math = {
      kind: "EventsNode",
      event: "a",
      math: "hogql",
      math_hogql: `count(${"(".repeat(9)}1${")".repeat(9)})`,
    };
    const { status, json } = await asked({ kind: "TrendsQuery", series: [math] });
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(DEEP)]);
  });
});
