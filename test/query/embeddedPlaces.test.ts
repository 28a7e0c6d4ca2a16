import { afterAll, expect, test } from "bun:test";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import { contextOf, emptyLake, failure } from "./support.ts";

afterAll(closeParser);

test.each([
  ["concat(evnt, 'a') = 'b'", "evnt"],
  ["1 = 1 AND unknown(event)", "unknown(event)"],
])("an error in HogQL inside of a filter (%s) is placed in that text", async (key, wrong) => {
  const series = [{ kind: "EventsNode", properties: [{ type: "hogql", key }] }];
  const error = await failure(runQuery({ kind: "TrendsQuery", series }, contextOf(emptyLake)));
  const { start, end } = error as { start?: number; end?: number };
  expect(key.slice(start, end)).toBe(wrong);
});
