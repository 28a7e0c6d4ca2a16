import { isNode, isObject, type QueryNode } from "../api/node.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isPart: Check = (value) => isObject(value) && Object.entries(value).every(([name, one]) => isMember(name, one));
const isEntity: Check = (value) => isPart(value) && isNode(value) && ENTITIES.has(value.kind);
const isFormula: Check = (value) => isPart(value) && isText((value as Record<string, unknown>).formula);
const isFunnelPaths: Check = (value) => isPart(value) && isSound((value as Record<string, unknown>).funnelSource);
const listOf = (check: Check): Check => {
  return (value) => Array.isArray(value) && value.every(check);
};
/** A list of filters, or a group of them. Null asks nothing. */
const isFilters: Check = (value) => isPart(value) || listOf((one) => one === null || isPart(one))(value);

const ENTITIES: ReadonlySet<string> = new Set(["EventsNode", "ActionsNode", "GroupNode"]);

/** What members of nodes are, by their names, as far as forms and charts rely on it (docs/queries.md). */
const MEMBERS: Readonly<Record<string, Check>> = {
  ...each(listOf(isEntity), "series", "nodes", "exclusions"),
  ...each(listOf(isFormula), "formulaNodes"),
  ...each(listOf(isPart), "breakdowns", "localPathCleaningFilters"),
  ...each(listOf(isText), "formulas", "includeEventTypes", "pathGroupings", "excludeEvents", "toggledLifecycles"),
  ...each(listOf(isCount), "retentionCustomBrackets", "hiddenLegendIndexes"),
  ...each(isFilters, "properties", "values"),
  ...each(isPart, "dateRange", "compareFilter", "breakdownFilter", "trendsFilter", "funnelsFilter", "retentionFilter"),
  ...each(isPart, "pathsFilter", "stickinessFilter", "stickinessCriteria", "lifecycleFilter"),
  ...each(isPart, "targetEntity", "returningEntity"),
  ...each(isFunnelPaths, "funnelPathsFilter"),
  ...each(isObject, "resultCustomizations"),
  ...each(isText, "kind", "event", "name", "custom_name", "type", "key", "operator", "interval", "display", "formula"),
  ...each(isText, "math", "math_property", "math_property_type", "math_hogql", "breakdown_type", "compare_to"),
  ...each(isText, "date_from", "date_to", "period", "startPoint", "endPoint", "pathsHogQLExpression"),
  ...each(isText, "regex", "alias", "funnelAggregateByHogQL", "aggregationProperty"),
  ...each(isCount, "totalIntervals", "smoothingIntervals", "funnelFromStep", "funnelToStep"),
};

/** The kinds that have a form and a chart, with the members that their nodes cannot be without. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  TrendsQuery: ["series"],
  FunnelsQuery: ["series"],
  StickinessQuery: ["series"],
  LifecycleQuery: ["series"],
  RetentionQuery: ["retentionFilter"],
  PathsQuery: [],
};

/**
 * Whether a question has the shape that the form and the chart of its kind rely on. The API saves any node, and refuses what is wrong
 * with one when it is asked.
 */
export const isSound = (node: unknown): node is QueryNode =>
  isNode(node) &&
  Object.hasOwn(NEEDS, node.kind) &&
  NEEDS[node.kind]!.every((name) => node[name] != null) &&
  isPart(node);

const isMember = (name: string, value: unknown): boolean =>
  value == null || !Object.hasOwn(MEMBERS, name) || MEMBERS[name]!(value);

function each(check: Check, ...names: string[]): Record<string, Check> {
  return Object.fromEntries(names.map((name) => [name, check]));
}
