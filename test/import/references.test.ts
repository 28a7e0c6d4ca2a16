import { describe, expect, test } from "bun:test";
import { referencesIn, withIds } from "../../src/import/objects/references.ts";
import type { Json } from "../../src/types/mod.ts";

/** Cohorts are a hundred higher here, actions two hundred; group types the other way round. */
const here = (value: Json): Json =>
  withIds(value, (kind, id) => (kind === "group_type" ? 1 - id : id + (kind === "cohort" ? 100 : 200)));

describe("numbers of objects become those of here", () => {
  test.each([
    ["a filter", { type: "cohort", key: "id", value: 5 }, { type: "cohort", key: "id", value: 105 }],
    [
      "a filter of several",
      { type: "cohort", key: "id", value: [5, "6"] },
      { type: "cohort", key: "id", value: [105, "106"] },
    ],
    [
      "a breakdown",
      { breakdown_type: "cohort", breakdown: ["all", 5] },
      { breakdown_type: "cohort", breakdown: ["all", 105] },
    ],
    [
      "everybody in a breakdown",
      { breakdown_type: "cohort", breakdown: [0] },
      { breakdown_type: "cohort", breakdown: [0] },
    ],
    [
      "breakdowns",
      { breakdowns: [{ type: "cohort", property: 5 }] },
      { breakdowns: [{ type: "cohort", property: 105 }] },
    ],
    ["a series", { kind: "ActionsNode", id: 7 }, { kind: "ActionsNode", id: 207 }],
    ["an old series", { actions: [{ id: "7", type: "actions" }] }, { actions: [{ id: "207", type: "actions" }] }],
    [
      "retention",
      { targetEntity: { id: 7, type: "actions" }, returningEntity: { id: "$pageview", type: "events" } },
      { targetEntity: { id: 207, type: "actions" }, returningEntity: { id: "$pageview", type: "events" } },
    ],
    [
      "behavior",
      { type: "behavioral", event_type: "actions", key: 7, seq_event_type: "actions", seq_event: 8 },
      { type: "behavioral", event_type: "actions", key: 207, seq_event_type: "actions", seq_event: 208 },
    ],
    [
      "an event in behavior",
      { type: "behavioral", event_type: "events", key: "7" },
      { type: "behavioral", event_type: "events", key: "7" },
    ],
    [
      "groups",
      { math_group_type_index: 0, properties: [{ group_type_index: 1 }] },
      { math_group_type_index: 1, properties: [{ group_type_index: 0 }] },
    ],
    ["a value that is no cohort", { type: "event", key: "id", value: 5 }, { type: "event", key: "id", value: 5 }],
    [
      "HogQL",
      { kind: "HogQLQuery", query: "SELECT 'in cohort 5' FROM events WHERE person_id IN COHORT 5 -- cohort 5" },
      { kind: "HogQLQuery", query: "SELECT 'in cohort 5' FROM events WHERE person_id IN COHORT 105 -- cohort 5" },
    ],
    ["HogQL in a filter", { type: "hogql", key: "matchesAction( 7)" }, { type: "hogql", key: "matchesAction( 207)" }],
    [
      "HogQL in a list",
      { kind: "EventsQuery", where: ["person_id not in cohort 5"] },
      { kind: "EventsQuery", where: ["person_id not in cohort 105"] },
    ],
  ] as [string, Json, Json][])("in %s", (_, there, wanted) => {
    expect(here(there)).toEqual(wanted);
    expect(here({ source: [there] })).toEqual({ source: [wanted] });
  });

  test("each is told once", () => {
    const filter = { type: "cohort", key: "id", value: 5 };
    expect(
      referencesIn({ series: [{ kind: "ActionsNode", id: 7, properties: [filter] }], properties: [filter] }),
    ).toEqual([
      { kind: "action", id: 7 },
      { kind: "cohort", id: 5 },
    ]);
  });
});
