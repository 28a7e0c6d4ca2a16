import { expect, test } from "bun:test";
import { runQuery } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { contextOf, emptyLake } from "./support.ts";

const dateRange = { date_from: "2024-03-01", date_to: "2024-03-14" };
const view = { kind: "EventsNode", event: "view" };
const filtered = { ...view, properties: [{ type: "event", key: "k", operator: "exact", value: "a" }] };
const context = contextOf(emptyLake, { nowMs: Date.parse("2024-03-20T12:00:00Z") });

/** The scans of a statement, by the lake's tables. */
async function scansOf(node: JsonObject): Promise<string[]> {
  const { explain } = await runQuery({ dateRange, series: [view], explain: true, ...node }, context);
  return [...explain!.join("\n").matchAll(/FROM \(?(events|activity) AS t\d/g)].map(([, table]) => table!);
}

const STICKINESS: [string, JsonObject, string[]][] = [
  ["whole days", {}, ["activity"]],
  ["several series", { series: [view, { kind: "EventsNode" }, { ...view, event: "buy" }] }, ["activity"]],
  ["weeks back from the end", { interval: "week", intervalCount: 1 }, ["activity"]],
  ["months back from the end", { interval: "month", intervalCount: 2 }, ["activity"]],
  ["how many events a day has", criteria("gte", 3), ["activity"]],
  ["two periods", { compareFilter: { compare: true } }, ["activity", "activity"]],
  ["hours", { interval: "hour" }, ["events"]],
  ["a filter beside what days tell", { series: [view, filtered, filtered] }, ["activity", "events"]],
  ["groups", { series: [{ ...view, math: "unique_group", math_group_type_index: 0 }] }, ["events"]],
];

function criteria(operator: string, value: number): JsonObject {
  return { stickinessFilter: { stickinessCriteria: { operator, value } } };
}

test.each(STICKINESS)("stickiness of %s", async (_, more, scans) => {
  expect((await scansOf({ kind: "StickinessQuery", ...more })).sort()).toEqual(scans);
});

// The second scan is of personless events alone, which the numbers of a file's columns leave out where it has none.
const LIFECYCLES: [string, JsonObject, string[]][] = [
  ["whole days", {}, ["activity", "events"]],
  ["weeks", { interval: "week" }, ["activity", "events"]],
  ["hours", { interval: "hour" }, ["events"]],
  ["a filter", { series: [filtered] }, ["events"]],
  ["groups", { aggregation_group_type_index: 0 }, ["events"]],
];

test.each(LIFECYCLES)("a lifecycle of %s", async (_, more, scans) => {
  expect((await scansOf({ kind: "LifecycleQuery", ...more })).sort()).toEqual(scans);
});
