import type { QueryNode } from "../../api/query.ts";
import { sourceOf } from "../../kinds/mod.ts";
import { breakdownTitle, entityName, eventName, mathName } from "../../kinds/naming.ts";
import type { EntityNode, SeriesNode } from "../../question/types.ts";

const NAME_MAX = 400;

/** What an insight is called until people name it, as PostHog derives it: "Pageview count & buy unique users by browser". */
export function derivedName(node: QueryNode): string {
  const source = sourceOf(node);
  return (NAMES[source.kind]?.(source) ?? source.kind.replace(/Query$/, "")).slice(0, NAME_MAX);
}

const NAMES: Readonly<Record<string, (node: QueryNode) => string>> = {
  TrendsQuery: (node) => trendName(node as SeriesNode),
  FunnelsQuery: (node) => `${seriesOf(node).map(entityName).join(" → ")} ${actorsOf(node)} conversion`,
  StickinessQuery: (node) => `User stickiness based on ${seriesOf(node).map(entityName).join(" & ")}`,
  LifecycleQuery: (node) => `User lifecycle based on ${seriesOf(node).map(entityName).join(" & ")}`,
  RetentionQuery: retentionName,
  PathsQuery: pathsName,
  HogQLQuery: () => "SQL",
};

const seriesOf = (node: QueryNode): readonly EntityNode[] => (node as SeriesNode).series ?? [];
const actorsOf = (node: QueryNode): string =>
  typeof node.aggregation_group_type_index === "number" ? "group" : "user";

function trendName(node: SeriesNode): string {
  const filter = node.trendsFilter as {
    formula?: string;
    formulas?: string[];
    formulaNodes?: { formula: string; custom_name?: string }[];
  };
  const formulas =
    filter?.formulaNodes?.map((one) => one.custom_name || one.formula) ??
    filter?.formulas ??
    (filter?.formula ? [filter.formula] : []);
  const hasFormula = formulas.some((one) => one !== "");
  const series = seriesOf(node).map((entity, index) => {
    const mark = hasFormula ? `${String.fromCharCode(65 + index)}. ` : "";
    return `${mark}${countedName(entity)}`;
  });
  const by = breakdownTitle(node.breakdownFilter);
  const name = `${series.join(" & ")}${by === "" ? "" : ` by ${by}`}`;
  return hasFormula ? `${formulas.join(", ")} on ${name}` : name;
}

function countedName(entity: EntityNode): string {
  const name = entityName(entity);
  return entity.math_property
    ? `${name}'s ${entity.math_property} ${mathName(entity.math)}`
    : `${name} ${mathName(entity.math)}`;
}

interface Target {
  id?: string | number | null;
  name?: string | null;
  custom_name?: string;
}

function retentionName(node: QueryNode): string {
  const { targetEntity, returningEntity } = (node.retentionFilter ?? {}) as {
    targetEntity?: Target;
    returningEntity?: Target;
  };
  const first = targetName(targetEntity);
  const again = targetName(returningEntity);
  const back = first === again ? "the same event" : again;
  return `${actorsOf(node) === "group" ? "Group" : "User"} retention based on doing ${first} and returning with ${back}`;
}

const targetName = (target: Target | undefined): string =>
  target?.custom_name || eventName(typeof target?.id === "string" ? target.id : target?.name);

const PATH_TYPES: Readonly<Record<string, string>> = {
  $pageview: "page views",
  $screen: "screen views",
  custom_event: "custom events",
  hogql: "an SQL expression",
};

function pathsName(node: QueryNode): string {
  const {
    includeEventTypes: types = [],
    startPoint,
    endPoint,
  } = (node.pathsFilter ?? {}) as {
    includeEventTypes?: string[];
    startPoint?: string | null;
    endPoint?: string | null;
  };
  const based = types.map((type) => PATH_TYPES[type] ?? type).join(" & ") || "all events";
  return `User paths based on ${based}${startPoint ? ` starting at ${startPoint}` : ""}${endPoint ? ` ending at ${endPoint}` : ""}`;
}
