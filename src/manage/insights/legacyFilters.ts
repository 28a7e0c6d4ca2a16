import type { Insight } from "../../metadata/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";

/** Members of the legacy form by their names in a node's part; PostHog has given up this form, old clients send it. */
const BREAKDOWN = {
  breakdown: "breakdown",
  breakdowns: "breakdowns",
  breakdown_normalize_url: "breakdown_normalize_url",
  breakdown_group_type_index: "breakdown_group_type_index",
  breakdown_hide_other_aggregation: "breakdown_hide_other_aggregation",
  breakdown_limit: "breakdown_limit",
  breakdown_histogram_bin_count: "breakdown_histogram_bin_count",
};
const TRENDS = {
  display: "display",
  formula: "formula",
  smoothing_intervals: "smoothingIntervals",
  show_legend: "showLegend",
  aggregation_axis_format: "aggregationAxisFormat",
  aggregation_axis_prefix: "aggregationAxisPrefix",
  aggregation_axis_postfix: "aggregationAxisPostfix",
  decimal_places: "decimalPlaces",
  show_values_on_series: "showValuesOnSeries",
  show_percent_stack_view: "showPercentStackView",
  y_axis_scale_type: "yAxisScaleType",
};
const QUERY = {
  interval: "interval",
  filter_test_accounts: "filterTestAccounts",
  sampling_factor: "samplingFactor",
  aggregation_group_type_index: "aggregation_group_type_index",
};
const DATES = { date_from: "date_from", date_to: "date_to", explicit_date: "explicitDate" };
const COMPARE = { compare: "compare", compare_to: "compare_to" };
const SERIES = {
  name: "name",
  custom_name: "custom_name",
  math: "math",
  math_property: "math_property",
  math_property_type: "math_property_type",
  math_hogql: "math_hogql",
  math_group_type_index: "math_group_type_index",
};
/** SESSIONS have become trends. */
const TRENDS_NAMES: readonly Json[] = [null, "TRENDS", "SESSIONS"];

/** What an insight asks, however it was saved; null for nothing. */
export function nodeOfInsight({ query, filters }: Pick<Insight, "query" | "filters">): JsonObject | null {
  return query ?? nodeOfFilters(filters ?? {});
}

/**
 * The node that an insight's legacy `filters` mean (docs/queries.md#legacy-filters); null where there are none, or they
 * ask for another insight than a trend.
 */
export function nodeOfFilters(filters: JsonObject): JsonObject | null {
  if (Object.keys(filters).length === 0 || !TRENDS_NAMES.includes(filters.insight ?? null)) return null;
  const breakdown = renamed(filters, BREAKDOWN);
  const type = filters.breakdown_type === "events" ? "event" : (filters.breakdown_type ?? "event");
  const source: JsonObject = {
    kind: "TrendsQuery",
    series: seriesOf(filters),
    ...renamed(filters, QUERY),
    ...part("dateRange", renamed(filters, DATES)),
    ...part("trendsFilter", renamed(filters, TRENDS)),
    ...part("compareFilter", renamed(filters, COMPARE)),
    ...part("breakdownFilter", breakdown.breakdown === undefined ? breakdown : { ...breakdown, breakdown_type: type }),
  };
  const properties = propertiesOf(filters.properties ?? null);
  return { kind: "InsightVizNode", source: properties === null ? source : { ...source, properties } };
}

function renamed(filters: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const given = Object.entries(names).filter(([name]) => filters[name] !== undefined && filters[name] !== null);
  return Object.fromEntries(given.map(([name, becomes]) => [becomes, filters[name]!]));
}

const part = (name: string, members: JsonObject): JsonObject =>
  Object.keys(members).length === 0 ? {} : { [name]: members };

/** Actions stand before events of the same order. */
function seriesOf(filters: JsonObject): JsonObject[] {
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

/** A list, a group, or `{"key": value}` and `{"key__operator": value}`; null where nothing is filtered. */
function propertiesOf(value: Json, { isFlat } = { isFlat: false }): Json {
  if (isJsonObject(value) && Array.isArray(value.values)) return value;
  const filters = Array.isArray(value) ? value : isJsonObject(value) ? Object.entries(value).map(filterOf) : [];
  if (filters.length === 0) return null;
  return isFlat ? filters : { type: "AND", values: [{ type: "AND", values: filters }] };
}

function filterOf([name, value]: [string, Json]): JsonObject {
  const [key = "", operator = "exact"] = name.split("__");
  return { key, operator, value, type: "event" };
}
