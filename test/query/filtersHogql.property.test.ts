import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CohortRecord, closeParser, OPERATOR_NAMES, type QueryContext } from "../../src/query/mod.ts";
import { type Json, type JsonObject, type PropertyType, personIdOf } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";
import { hogql, NO_STEP, trends } from "./support.ts";

const NOW = Date.UTC(2020, 0, 10, 12);
const random = new Random(TEST_SEED);

const STORED: Json[] = [
  ...[1, 0, -2, 1.5, 1e300, true, false, null, "", " 1 ", "1", "1.0", "007", "true", "n/a", "a", "aB", "a\\b", "100%"],
  ...["it's", "é", "2020-01-05", "2020-01-05T10:00:00Z", "2020-01-05 10:00:00.5", "1578182400", "1.2.3", "v1.10-rc"],
  ...["/users/7", "TypeError", '["a","b"]', ["a", "1"], ["TypeError", 2, null], [], { k: 1 }],
];
const CHAIN = 'a.nav:attr__href="/buy"href="/buy"nth-child="1"text="Buy \\"now\\"";div.menu:nth-child="2"text="a"';

const COHORTS: CohortRecord[] = [
  {
    id: 1,
    name: "some",
    isStatic: false,
    properties: [{ type: "person", key: "v", value: ["1", "a"] }],
    personIds: [],
  },
  { id: 2, name: "two", isStatic: true, properties: null, personIds: [personIdOf(1, "d2"), personIdOf(1, "d3")] },
  { id: 3, name: "others", isStatic: false, properties: [{ type: "cohort", value: 1, negation: true }], personIds: [] },
];

const TEXTS = [
  "1",
  "1.0",
  "a",
  "B",
  "true",
  "",
  "a\\b",
  "%",
  "_",
  "it's",
  "n/a",
  "/users/12",
  "TypeError",
  "2020-01-05",
];
const SCALARS: Json[] = [...TEXTS, 1, 0, 1.5, -2, 1e300, true];
const some = (from: readonly Json[]): Json[] => Array.from({ length: random.int(1, 3) }, () => random.pick(from));
const oneOrSome = (from: readonly Json[]): Json => (random.chance(0.5) ? random.pick(from) : some(from));

/** A value that an operator takes. */
function valueFor(operator: string): Json {
  if (operator === "between" || operator === "not_between")
    return [random.int(-3, 1), random.pick(["1.5", 2, 1578182400])];
  if (operator.startsWith("is_date_"))
    return oneOrSome(["2020-01-05", "2020-01-05T10:00:00Z", "2020-01-05 10:00:00.5", "-5d"]);
  if (operator.startsWith("semver_")) return oneOrSome(["1.2.3", "1.2.*", "v1", "0.0.1", "1.10"]);
  if (operator.endsWith("regex")) return oneOrSome(["^a", "1|b", "\\d+", "(?i)TYPE", "'", "\\\\"]);
  if (operator === "in" || operator === "not_in") return some(SCALARS);
  return random.chance(0.05) ? null : oneOrSome(SCALARS);
}

/** Filters of all operators, of which each kind of property takes a part. */
const of = (filter: JsonObject): JsonObject[] =>
  OPERATOR_NAMES.map((operator) => ({ ...filter, operator, value: valueFor(operator) }));

const SESSION_KEYS = ["$session_duration", "$entry_current_url", "$is_bounce", "$start_timestamp", "$urls"];
const COLUMNS = ["event", "distinct_id", "timestamp", "created_at", "uuid", "person_id", "person_mode", "$session_id"];

const OTHERS: JsonObject[] = [
  { type: "element", key: "selector", operator: "exact", value: [".menu > a.nav", "b"] },
  { type: "element", key: "selector", operator: "is_not", value: "div a" },
  { type: "element", key: "tag_name", operator: "exact", value: "a" },
  ...[1, 2, 3].flatMap((value): JsonObject[] => [
    { type: "cohort", value },
    { type: "cohort", value, negation: true },
  ]),
  { type: "cohort", value: [1, 2], operator: "not_in" },
  { type: "hogql", key: "properties.v = 'a' or event = 'other'" },
  { type: "hogql", key: "toFloat(properties.v)" },
  { type: "hogql", key: "matchesAction(1)" },
  { type: "hogql", key: "person.properties.v = '1'" },
];

/** Kinds of properties that have definitions. */
const DEFINED: [string, () => JsonObject[]][] = [
  ["properties", () => of({ key: "v" })],
  ["keys that need quotes", () => ["a.b", "it's", "1", "$v", 'q"`\\'].flatMap((key) => of({ key }).slice(0, 6))],
  ["lists", () => of({ key: "$exception_types", type: "event" })],
  ["flags", () => of({ key: "beta", type: "feature" })],
  ["persons", () => of({ key: "v", type: "person" })],
  ["groups", () => of({ key: "v", type: "group", group_type_index: 0 })],
  ["columns that are properties", () => of({ key: "$group_0", type: "event_metadata" })],
];

const UNDEFINED: [string, () => JsonObject[]][] = [
  ["distinct ids", () => of({ key: "distinct_id", type: "person" })],
  ["chains", () => of({ key: "$elements_chain" })],
  ["links", () => of({ key: "href", type: "element" })],
  ["texts of elements", () => of({ key: "text", type: "element" })],
  ...SESSION_KEYS.map((key): [string, () => JsonObject[]] => [key, () => of({ key, type: "session" })]),
  ...COLUMNS.map((key): [string, () => JsonObject[]] => [key, () => of({ key, type: "event_metadata" })]),
];

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open(
    STORED.map((v, i) => ({
      event: i % 5 === 0 ? "other" : "e",
      uuid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
      distinctId: `d${i}`,
      timestampMs: NOW - i * 3_600_000,
      personMode: i % 2,
      elementsChain: i % 3 === 0 ? CHAIN : "",
      properties: {
        ...Object.fromEntries(
          ["v", "a.b", "it's", "1", "$v", 'q"`\\', "$exception_types", "$feature/beta"].map((key) => [key, v]),
        ),
        $group_0: `g${i % 7}`,
        ...(i % 4 > 0 && { $session_id: `s${i % 6}`, $current_url: `https://a.com/users/${i}?x=1` }),
      },
    })),
  );
  await lake.addPersons(STORED.map((v, i) => ({ distinctIds: [`d${(i * 3) % STORED.length}`], properties: { v } })));
  await lake.addGroups(
    STORED.slice(0, 7).map((_, i) => ({ index: 0, key: `g${i}`, properties: { v: STORED[i * 4]! } })),
  );
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

/** The numbers of the answer, and those of its own HogQL; by series. */
async function both(query: { [key: string]: Json }, context: Partial<QueryContext>): Promise<[number[], number[]]> {
  const asked = { dateRange: { date_from: "2020-01-01" }, trendsFilter: { display: "BoldNumber" }, ...query };
  const answer = await trends(lake, asked, context);
  const { columns, results } = await hogql(lake, answer.hogql!, context);
  const counts = answer.results.map((item) => item.aggregated_value!);
  if (columns[0] !== "line") return [counts, results[0] as number[]];
  const found = new Map(results.map(([line, , number]) => [line, number as number]));
  return [counts, counts.map((_, line) => found.get(line) ?? 0)];
}

const TYPES: (PropertyType | null)[] = [null, "String", "Numeric", "Boolean", "DateTime", "Duration"];

const contextOf = (type: PropertyType | null): Partial<QueryContext> => ({
  nowMs: NOW,
  timezone: "America/New_York",
  pathCleaningFilters: [{ regex: "/\\d+", alias: "/<id>" }],
  records: {
    ...NO_RECORDS,
    propertyType: () => type,
    cohort: (id) => COHORTS.find((one) => one.id === id) ?? null,
    action: () => ({ id: 1, name: "b", steps: [{ ...NO_STEP, event: "e", properties: [{ key: "v", value: "1" }] }] }),
  },
});

/** The filters as series of queries, and some of them in one condition. */
async function check(filters: JsonObject[], type: PropertyType | null): Promise<void> {
  const context = contextOf(type);
  for (let i = 0; i < filters.length; i += 2) {
    const some = filters.slice(i, i + 2);
    const series = some.map((filter) => ({ kind: "EventsNode", event: null, properties: [filter] }));
    const [counts, found] = await both({ series }, context);
    expect(some.map((filter, j) => [filter, found[j]!])).toEqual(some.map((filter, j) => [filter, counts[j]!]));
  }
  const properties: Json = { type: "OR", values: [random.pick(filters), random.pick(filters)] };
  const [where, again] = await both({ series: [{ kind: "EventsNode", event: "e" }], properties }, context);
  expect([properties, again]).toEqual([properties, where]);
}

/** Parsing is most of the time: so each kind of property gets some of the operators, others with another WEIR_TEST_SEED. */
const someOf = (filters: JsonObject[], count: number): JsonObject[] =>
  filters.length <= count ? filters : random.shuffle(filters).slice(0, count);

describe(`the HogQL of a filter means what the filter means, seed ${TEST_SEED}`, () => {
  const cases = TYPES.flatMap((type) => DEFINED.map(([kind, filters]) => ({ type, kind, filters })));
  test.each(cases)("of $kind, defined as $type", ({ type, filters }) => check(someOf(filters(), 2), type));

  test.each(UNDEFINED)("of %s", (_, filters) => check(someOf(filters(), 4), null));

  test("of elements, cohorts and HogQL", () => check(OTHERS, null));
});
