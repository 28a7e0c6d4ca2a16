import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";

// How insights were written before there were query nodes: PostHog has given up this form, old clients send it
// (docs/queries.md#legacy-filters).

/** Names that a member keeps. */
export const same = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));

/** Members of the legacy form by their names in a node's part. */
const BREAKDOWN = same(
  "breakdown",
  "breakdowns",
  "breakdown_normalize_url",
  "breakdown_group_type_index",
  "breakdown_hide_other_aggregation",
  "breakdown_limit",
  "breakdown_histogram_bin_count",
);
const QUERY = {
  ...same("aggregation_group_type_index"),
  filter_test_accounts: "filterTestAccounts",
  sampling_factor: "samplingFactor",
};
const DATES = { ...same("date_from", "date_to"), explicit_date: "explicitDate" };
const COMPARE = same("compare", "compare_to");
const SERIES = same(
  "name",
  "custom_name",
  "math",
  "math_property",
  "math_property_type",
  "math_hogql",
  "math_group_type_index",
);

/** The members that insights of all kinds have. */
export function commonMembers(filters: JsonObject): JsonObject {
  const properties = propertiesOf(filters.properties ?? null);
  return {
    ...renamed(filters, QUERY),
    ...part("dateRange", renamed(filters, DATES)),
    ...(properties !== null && { properties }),
  };
}

/** `interval`, of the kinds that have one. */
export const intervalMember = (filters: JsonObject): JsonObject => renamed(filters, same("interval"));

/** `compareFilter`, of the kinds that have one. */
export const compareMember = (filters: JsonObject): JsonObject => part("compareFilter", renamed(filters, COMPARE));

/** `breakdownFilter`, of the kinds that have one. */
export function breakdownMember(filters: JsonObject): JsonObject {
  const breakdown = renamed(filters, BREAKDOWN);
  const type = filters.breakdown_type === "events" ? "event" : (filters.breakdown_type ?? "event");
  return part(
    "breakdownFilter",
    breakdown.breakdown === undefined ? breakdown : { ...breakdown, breakdown_type: type },
  );
}

/** The members that are given, by the names that they become. */
export function renamed(filters: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const given = Object.entries(names).filter(([name]) => filters[name] !== undefined && filters[name] !== null);
  return Object.fromEntries(given.map(([name, becomes]) => [becomes, filters[name]!]));
}

/** A member that is an object; none where it would be empty. */
export const part = (name: string, members: JsonObject): JsonObject =>
  Object.keys(members).length === 0 ? {} : { [name]: members };

/** The series: `events` and `actions` by their order, actions before events of the same. */
export function seriesOf(filters: JsonObject): JsonObject[] {
  const actions = listOf(filters.actions).filter(({ id }) => id !== null && id !== undefined);
  const entities = [
    ...actions.map((entity) => ({ entity, node: { kind: "ActionsNode", id: Number(entity.id) } })),
    ...listOf(filters.events).map((entity) => ({ entity, node: { kind: "EventsNode", event: entity.id ?? null } })),
  ];
  const orderOf = ({ entity }: (typeof entities)[number]) => Number(entity.order ?? 0);
  return entities
    .sort((a, b) => orderOf(a) - orderOf(b))
    .map(({ entity, node }) => {
      const properties = propertiesOf(entity.properties ?? null, { isFlat: true });
      return { ...node, ...renamed(entity, SERIES), ...(properties === null ? {} : { properties }) };
    });
}

/** Objects of a list, which may be JSON text. */
function listOf(value: Json | undefined): JsonObject[] {
  const list = typeof value === "string" ? parsed(value) : value;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Property filters: a list, a group, or `{"key": value}` and `{"key__operator": value}`; null where nothing is filtered. */
export function propertiesOf(value: Json, { isFlat } = { isFlat: false }): Json {
  if (isJsonObject(value) && Array.isArray(value.values)) return value;
  const filters = Array.isArray(value) ? value : isJsonObject(value) ? Object.entries(value).map(filterOf) : [];
  if (filters.length === 0) return null;
  return isFlat ? filters : { type: "AND", values: [{ type: "AND", values: filters }] };
}

function filterOf([name, value]: [string, Json]): JsonObject {
  const [key = "", operator = "exact"] = name.split("__");
  return { key, operator, value, type: "event" };
}
