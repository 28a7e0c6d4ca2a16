import { expect, test } from "bun:test";
import { accept, normalise, type Warned } from "./support.ts";

function warningsOf(event: string, properties: object, own: object = {}): Warned[] {
  const warnings: Warned[] = [];
  accept({ event, properties, ...own }, { warnings });
  return warnings;
}
const typesOf = (...given: Parameters<typeof warningsOf>) => warningsOf(...given).map(({ type }) => type);

test.each<[string, object, string]>([
  ["$pageview", { $current_url: "https://x.test/" }, "missing_current_url"],
  ["$screen", { $screen_name: "Home" }, "missing_screen_name"],
  ["$identify", { $set: {} }, "missing_set"],
  ["$create_alias", { alias: "a" }, "missing_alias"],
  ["$merge_dangerously", { alias: 5 }, "missing_alias"],
  ["survey shown", { $survey_id: "s" }, "missing_survey_id"],
  ["survey dismissed", { $survey_id: "s" }, "missing_survey_id"],
])("%s must say %j, else %s", (event, properties, type) => {
  expect(typesOf(event, properties)).toEqual([]);
  expect(warningsOf(event, {})).toEqual([{ type, details: { event, distinct_id: "d", uuid: null } }]);
  const empty = Object.fromEntries(Object.keys(properties).map((key) => [key, event === "$identify" ? "x" : ""]));
  expect(typesOf(event, empty)).toEqual([type]);
  expect(typesOf("other", {})).toEqual([]);
});

test("what a survey was answered, in the old and the new form", () => {
  expect(typesOf("survey sent", {})).toEqual(["missing_survey_id", "missing_survey_response"]);
  expect(typesOf("survey sent", { $survey_id: "s", note: "$survey_response" })).toEqual(["missing_survey_response"]);
  for (const key of ["$survey_response", "$survey_response_7f"]) {
    expect(typesOf("survey sent", { $survey_id: "s", [key]: "yes" })).toEqual([]);
  }
});

test("which group, and of which type", () => {
  expect(typesOf("$groupidentify", {})).toEqual(["missing_group_type", "missing_group_key", "missing_group_set"]);
  const group = { $group_type: "company", $group_key: 5 };
  expect(typesOf("$groupidentify", { ...group, $group_set: {} })).toEqual([]);
  for (const $group_set of [undefined, null, "x", []]) {
    expect(typesOf("$groupidentify", { ...group, $group_set })).toEqual(["missing_group_set"]);
  }
});

test("$set_once says something of a person, too", () => {
  expect(typesOf("$identify", { $set_once: { a: 1 } })).toEqual([]);
  expect(typesOf("$identify", {}, { $set_once: { a: 1 } })).toEqual([]);
  expect(typesOf("$identify", { $set_once: "x" })).toEqual(["missing_set"]);
});

test("a warning says who sent the event, wherever that stands", () => {
  const sender = (own: object) => {
    const warnings: Warned[] = [];
    normalise(JSON.stringify({ event: "$identify", ...own }), { warnings });
    return warnings.map(({ type, details }) => [type, details.distinct_id]);
  };
  for (const own of [{ distinct_id: "me" }, { $distinct_id: "me" }, { properties: { distinct_id: "me" } }]) {
    expect(sender(own)).toEqual([["missing_set", "me"]]);
  }
});

test("an id that is cut may be another's", () => {
  const long = "😀".repeat(201);
  const cut = "😀".repeat(200);
  const warned = (event: string, distinct_id: unknown, properties: object = { $set: {} }) =>
    warningsOf(event, properties, { distinct_id }).map(({ type, details }) => [type, details.field]);
  expect(warned("e", cut)).toEqual([]);
  expect(warned("e", long)).toEqual([["distinct_id_too_large", "distinct_id"]]);
  expect(warned("e", "x".repeat(201))).toEqual([["distinct_id_too_large", "distinct_id"]]);
  expect(warned("e", { a: "x".repeat(192) })).toEqual([]);
  expect(warned("e", { a: "x".repeat(193) })).toEqual([["distinct_id_too_large", "distinct_id"]]);
  expect(warned("$identify", "d", { $set: {}, $anon_distinct_id: cut })).toEqual([]);
  expect(warned("$identify", "d", { $set: {}, $anon_distinct_id: long })).toEqual([
    ["distinct_id_too_large", "$anon_distinct_id"],
  ]);
  expect(warned("$create_alias", "d", { alias: long })).toEqual([["distinct_id_too_large", "alias"]]);
});

test("$set may stand beside the properties; no alias is a false one", () => {
  expect(typesOf("$identify", {}, { $set: { a: 1 } })).toEqual([]);
  for (const alias of [0, false, null, ""]) expect(typesOf("$create_alias", { alias })).toEqual(["missing_alias"]);
});

test("ids that name nobody merge nothing", () => {
  const illegal = (event: string, properties: object, distinct_id = "d") =>
    warningsOf(event, properties, { distinct_id }).filter(({ type }) => type.startsWith("cannot_merge"));
  expect(illegal("$identify", { $anon_distinct_id: "undefined", $set: {} })).toEqual([
    {
      type: "cannot_merge_with_illegal_distinct_id",
      details: { event: "$identify", distinct_id: "d", uuid: null, source: "undefined", target: "d" },
    },
  ]);
  expect(illegal("$create_alias", { alias: "Guest" })).toMatchObject([{ details: { source: "d", target: "Guest" } }]);
  expect(illegal("$identify", { $anon_distinct_id: "a" }, "null")).toHaveLength(1);
  expect(illegal("$identify", { $anon_distinct_id: "a" })).toEqual([]);
  expect(illegal("$pageview", { $anon_distinct_id: "undefined" }, "null")).toEqual([]);
});
