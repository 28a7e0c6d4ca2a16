import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type ActionRecord,
  type CohortRecord,
  closeParser,
  OPERATOR_NAMES,
  type QueryContext,
} from "../../src/query/mod.ts";
import type { JsonObject, PropertyType } from "../../src/types/mod.ts";
import { formulasOf, withFormulas } from "../../src/web/app/kinds/trends/formulas.ts";
import { itemsOf, type TrendsNode } from "../../src/web/app/kinds/trends/types.ts";
import { partOf, withBroken } from "../../src/web/app/question/breakdownFilter.ts";
import { absoluteRange, dateOfShift, PRESETS, UNITS, type Unit } from "../../src/web/app/question/dateText.ts";
import { withAlternative, withEntity, withNode } from "../../src/web/app/question/entities.ts";
import { groupsOf, newFilter, tidy } from "../../src/web/app/question/filters.ts";
import { MATH_GROUPS, mathOf, TREND_MATHS, withMath, withMathProperty } from "../../src/web/app/question/maths.ts";
import { COLUMN_KEYS, ELEMENT_KEYS, SESSION_KEYS, sessionFieldType } from "../../src/web/app/question/names.ts";
import {
  isComplete,
  operatorsFor,
  type ValueType,
  valueForm,
  withOperator,
} from "../../src/web/app/question/operators.ts";
import type { EntityNode, PickedProperty, PropertyFilter } from "../../src/web/app/question/types.ts";
import { ask, contextOf, NO_STEP } from "../query/support.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";

const NOW = Date.UTC(2026, 4, 10, 12);
const TYPES: Record<string, PropertyType> = {
  price: "Numeric",
  isPaid: "Boolean",
  dueAt: "DateTime",
  took: "Duration",
};
const COHORT: CohortRecord = {
  id: 3,
  name: "Paying",
  isStatic: false,
  properties: { type: "AND", values: [{ type: "person", key: "plan", value: "pro" }] },
  personIds: [],
};
const ACTION: ActionRecord = { id: 7, name: "Buys", steps: [{ ...NO_STEP, event: "buy" }] };

let lake: MemoryLake;
let context: QueryContext;
beforeAll(async () => {
  lake = await MemoryLake.open(
    ["a", "b", "c"].map((distinctId, i) => ({
      event: i === 2 ? "see" : "buy",
      distinctId,
      timestampMs: NOW - i * 3_600_000,
      properties: { price: i + 1, isPaid: i > 0, dueAt: "2026-05-01", took: 3, $session_id: `s${i}`, $group_0: "acme" },
      elementsChain: 'button.go:attr__href="/buy"text="Buy"',
    })),
  );
  await lake.addPersons([{ distinctIds: ["a"], properties: { plan: "pro", age: 4 } }]);
  await lake.addGroups([{ index: 0, key: "acme", properties: { size: 10 } }]);
  context = contextOf(lake, {
    nowMs: NOW,
    records: {
      ...NO_RECORDS,
      propertyType: (_owner, key) => TYPES[key] ?? null,
      cohort: (id) => (id === COHORT.id ? COHORT : null),
      action: (id) => (id === ACTION.id ? ACTION : null),
    },
  });
});
afterAll(async () => {
  await lake.close();
  await closeParser();
});

/** The page's node as it is sent. */
const sent = (node: unknown): JsonObject => JSON.parse(JSON.stringify(node)) as JsonObject;

/** Throws where the query path refuses the node. */
const answered = (node: object) => ask(sent(node), context);

const BUY: EntityNode = { kind: "EventsNode", event: "buy", name: "buy" };
const SEE: EntityNode = { kind: "EventsNode", event: "see", name: "see" };
const BUYS: EntityNode = { kind: "ActionsNode", id: ACTION.id, name: ACTION.name };
const trend = (members: object) => answered({ kind: "TrendsQuery", series: [BUY], ...members });

const PICKED: PickedProperty[] = [
  { type: "event", key: "price", valueType: "Numeric" },
  { type: "event", key: "isPaid", valueType: "Boolean" },
  { type: "event", key: "dueAt", valueType: "DateTime" },
  { type: "event", key: "took", valueType: "Duration" },
  { type: "event", key: "$browser", valueType: "String" },
  { type: "event", key: "$app_version", valueType: null },
  { type: "event", key: "$pathname", valueType: "String" },
  { type: "person", key: "plan", valueType: "String" },
  { type: "group", key: "size", group_type_index: 0, valueType: "Numeric" },
  { type: "hogql", key: "properties.price > 1" },
  { type: "cohort", key: COHORT.name, value: COHORT.id },
  ...SESSION_KEYS.map((key): PickedProperty => ({ type: "session", key, valueType: sessionFieldType(key) })),
  ...ELEMENT_KEYS.map((key): PickedProperty => ({ type: "element", key, valueType: "String" })),
  ...COLUMN_KEYS.map((key): PickedProperty => ({ type: "event_metadata", key, valueType: "String" })),
];

describe("every series is taken", () => {
  const ofProperty: PickedProperty[] = [
    { type: "event", key: "price" },
    { type: "person", key: "age" },
    { type: "group", key: "size", group_type_index: 0 },
    { type: "session", key: "$session_duration" },
    { type: "session", key: "$pageview_count" },
  ];
  const maths = TREND_MATHS.flatMap((math) => {
    const entity = withMath(BUY, math, 0);
    const isOfProperty = mathOf(entity)?.needs === "property";
    return isOfProperty ? ofProperty.map((picked) => withMathProperty(entity, picked)) : [entity];
  });
  test.each(maths)("math $math of $math_property", async (entity) => {
    await trend({ series: [entity] });
    await trend({ series: [entity], trendsFilter: { display: "BoldNumber" } });
  });

  test("all maths are offered, those of funnels in funnels", async () => {
    const all = MATH_GROUPS.flatMap((group) => group.maths.map(({ name }) => name));
    expect(new Set(all).size).toBe(all.length);
    const ofFunnels = ["total", "first_time_for_user", "first_time_for_user_with_filters"];
    for (const math of ofFunnels) {
      await answered({ kind: "FunnelsQuery", series: [withMath(SEE, math), BUY] });
    }
    for (const math of ["total", "dau", "unique_group", "hogql"]) {
      await answered({ kind: "StickinessQuery", series: [{ ...withMath(BUY, math, 0), math_hogql: "person_id" }] });
    }
  });

  const two = withAlternative(BUY, BUYS);
  const three = withAlternative(
    { ...two, math: "dau", properties: [{ type: "event", key: "price", value: [1] }] },
    SEE,
  );
  const kinds: [string, EntityNode][] = [
    ["an action", BUYS],
    ["all events", { kind: "EventsNode", event: null, name: "All events" }],
    ["two events as one", two],
    ["three events as one", three],
    ["one of them another event", withNode(three, 1, SEE)],
    ["one of them taken away", withNode(three, 0, null)],
    ["another event with the same math", withEntity(withMath(BUY, "dau"), BUYS)],
  ];
  test.each(kinds)("%s", async (_, entity) => {
    await trend({ series: [entity] });
    await answered({ kind: "FunnelsQuery", series: [entity, BUY] });
  });
});

describe("every filter is taken", () => {
  const value = (filter: PropertyFilter, valueType: ValueType, operator: string): unknown => {
    if (filter.type === "cohort") return filter.value;
    switch (valueForm(filter, valueType)) {
      case "none":
        return undefined;
      case "number":
        return 3;
      case "range":
        return [1, 3];
      case "date":
        return "-7d";
      case "text":
        return operator === "semver_wildcard" ? "1.2.*" : "1.2.3";
      case "yesNo":
        return ["true"];
      case "texts":
        return ["a", "1"];
    }
  };
  const filters = PICKED.flatMap((picked): PropertyFilter[] => {
    const { valueType = null } = picked;
    const filter = newFilter(picked);
    const { first, rest } = operatorsFor(filter, valueType);
    const all = [...first, ...rest];
    if (all.length === 0) return [filter];
    return all.map((operator) => {
      const next = withOperator(filter, operator, valueType);
      return { ...next, value: value(next, valueType, operator) };
    });
  });

  test("by all operators of properties, each once", () => {
    for (const picked of PICKED) {
      const { first, rest } = operatorsFor(newFilter(picked), picked.valueType ?? null);
      expect(new Set([...first, ...rest]).size).toBe(first.length + rest.length);
    }
    const names = new Set(filters.map(({ operator }) => operator));
    const aliases = ["min", "max", "icontains_multi", "not_icontains_multi"];
    expect(OPERATOR_NAMES.filter((name) => !names.has(name)).sort()).toEqual(aliases.sort());
  });

  test.each(chunks(filters, 20))("%#", async (...some) => {
    for (const filter of some as PropertyFilter[]) {
      expect([filter, isComplete(filter)]).toEqual([filter, true]);
      try {
        const properties = tidy({ type: "AND", values: [{ type: "OR", values: [filter] }] });
        await trend({ series: [{ ...BUY, properties: [filter] }], properties });
      } catch (error) {
        throw new Error(`${JSON.stringify(filter)}: ${error}`);
      }
    }
  });

  test("without a value they let all pass", async () => {
    for (const picked of PICKED.filter(({ type }) => type !== "cohort" && type !== "hogql")) {
      const filter = newFilter(picked);
      expect([filter, isComplete(filter)]).toEqual([filter, false]);
      const { results } = (await trend({ properties: [filter] })) as unknown as { results: { count: number }[] };
      expect(results[0]?.count).toBe(2);
    }
  });

  test("in groups of any form the same filters are meant", async () => {
    const [one, two] = [3, 1].map((price) => ({ type: "event", key: "price", operator: "exact", value: [price] }));
    const forms: unknown[] = [
      [one, two],
      { type: "AND", values: [one, two] },
      { type: "OR", values: [one, two] },
      { type: "OR", values: [{ type: "AND", values: [one] }, two] },
      { type: "OR", values: [{ type: "AND", values: [one, { type: "OR", values: [two, one] }] }, two] },
    ];
    for (const properties of forms) {
      const all = { kind: "EventsNode", event: null };
      const counted = async (filters: unknown) => {
        const answer = (await trend({ series: [all], properties: filters })) as unknown as {
          results: { count: number }[];
        };
        return answer.results[0]!.count;
      };
      expect(await counted(tidy(groupsOf(properties)))).toBe(await counted(properties));
    }
  });
});

describe("every breakdown is taken", () => {
  const parts = PICKED.filter(({ type }) => type !== "cohort" && type !== "element").map((picked) =>
    partOf(picked.type === "hogql" ? { type: "hogql", key: "toString(properties.price)" } : picked),
  );
  test.each(chunks(parts, 3))("%#", async (...some) => {
    for (const part of some) await trend({ breakdownFilter: withBroken(undefined, { parts: [part!], cohorts: [] }) });
    await trend({ breakdownFilter: withBroken({ breakdown_limit: 5 }, { parts: some as typeof parts, cohorts: [] }) });
  });

  test("in bins, with one form of addresses, without the others", async () => {
    const bins = { type: "event", property: "price", histogram_bin_count: 4 };
    const url = { type: "event", property: "$current_url", normalize_url: true };
    const given = { breakdown_limit: 3, breakdown_hide_other_aggregation: true };
    await trend({ breakdownFilter: withBroken(given, { parts: [bins, url], cohorts: [] }) });
  });

  test("by cohorts and all users", async () => {
    const breakdownFilter = withBroken(undefined, { parts: [], cohorts: [COHORT.id, "all"] });
    const { results } = (await trend({ breakdownFilter })) as unknown as { results: { breakdown_value: unknown }[] };
    expect(results.map((item) => item.breakdown_value)).toEqual([COHORT.id, "all"]);
  });
});

describe("every range of dates is taken", () => {
  test.each(PRESETS)("$label", async ({ label: _, ...dateRange }) => {
    await trend({ dateRange });
  });

  test("relative and absolute ones, and what they are compared with", async () => {
    for (const unit of Object.keys(UNITS) as Unit[]) {
      const interval = unit === "M" ? "minute" : "week";
      await trend({ dateRange: { date_from: dateOfShift({ amount: 3, unit }) }, interval });
      await trend({ compareFilter: { compare: true, compare_to: dateOfShift({ amount: 2, unit }) } });
    }
    await trend({ dateRange: absoluteRange("2026-05-01", "2026-05-09", null) });
    const times = { from: "10:00", to: "11:59" };
    await trend({ dateRange: absoluteRange("2026-05-09", "2026-05-01", times), interval: "hour" });
    await trend({ compareFilter: { compare: true } });
  });
});

const numbersOf = async (node: TrendsNode) => itemsOf((await answered(node)) as never).map(({ data }) => data);

test("formulas in each form that nodes have, which a form writes anew with the same answer", async () => {
  for (const filter of [
    { formula: "A+B" },
    { formulas: ["A", "b / 2"] },
    { formulaNodes: [{ formula: "(A - -B) * .5" }] },
  ]) {
    const node: TrendsNode = {
      kind: "TrendsQuery",
      series: [BUY, SEE],
      trendsFilter: { ...filter, display: "ActionsBar" },
    };
    expect(await numbersOf(withFormulas(node, formulasOf(node)))).toEqual(await numbersOf(node));
  }
});

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}
