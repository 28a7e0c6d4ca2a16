import type { QueryNode } from "../../../api/node.ts";
import { isSound } from "../../../kinds/nodeShape.ts";
import type { PathsFilter } from "../../../kinds/paths/node.ts";
import { entityNode, type RetentionFilter } from "../../../kinds/retention/node.ts";
import type { TrendsFilter } from "../../../kinds/trends/types.ts";
import { sourceOf } from "../../../kinds/wrapping.ts";
import { brokenBy } from "../../../question/breakdownFilter.ts";
import { entityLabel, letterOf } from "../../../question/entities.ts";
import { propertyLabel } from "../../../question/names.ts";
import type { BreakdownFilter, EntityNode, SeriesNode } from "../../../question/types.ts";

const NAME_MAX = 400;

/** What an insight is called until people name it, as PostHog derives it: "Pageview count & buy unique users by browser". */
export function derivedName(node: QueryNode): string {
  const source = sourceOf(node);
  const name = isSound(source) ? NAMES[source.kind]?.(source) : undefined;
  return (name ?? plainName(source)).slice(0, NAME_MAX);
}

const NAMES: Readonly<Record<string, (node: QueryNode) => string>> = {
  TrendsQuery: (node) => trendName(node as SeriesNode),
  FunnelsQuery: (node) => `${seriesOf(node).map(entityLabel).join(" → ")} ${actorsOf(node)} conversion`,
  StickinessQuery: (node) => `User stickiness based on ${seriesOf(node).map(entityLabel).join(" & ")}`,
  LifecycleQuery: (node) => `User lifecycle based on ${seriesOf(node).map(entityLabel).join(" & ")}`,
  RetentionQuery: retentionName,
  PathsQuery: pathsName,
};

const plainName = ({ kind }: QueryNode): string => (kind === "HogQLQuery" ? "SQL" : kind.replace(/Query$/, ""));

const seriesOf = (node: QueryNode): readonly EntityNode[] => (node as SeriesNode).series;
const actorsOf = (node: QueryNode): string =>
  typeof node.aggregation_group_type_index === "number" ? "group" : "user";

function trendName(node: SeriesNode): string {
  const filter = node.trendsFilter as TrendsFilter | undefined;
  const formulas =
    filter?.formulaNodes?.map((one) => one.custom_name || one.formula) ??
    filter?.formulas ??
    (filter?.formula ? [filter.formula] : []);
  const hasFormula = formulas.some((one) => one !== "");
  const series = seriesOf(node).map((entity, index) => {
    const mark = hasFormula ? `${letterOf(index)}. ` : "";
    return `${mark}${countedName(entity)}`;
  });
  const by = breakdownTitle(node.breakdownFilter);
  const name = `${series.join(" & ")}${by === "" ? "" : ` by ${by}`}`;
  return hasFormula ? `${formulas.join(", ")} on ${name}` : name;
}

function countedName(entity: EntityNode): string {
  const name = entityLabel(entity);
  if (!entity.math_property) return `${name} ${mathName(entity.math)}`;
  return `${name}'s ${propertyLabel(entity.math_property)} ${mathName(entity.math)}`;
}

const MATHS: Readonly<Record<string, string>> = {
  total: "count",
  dau: "unique users",
  weekly_active: "weekly active users",
  monthly_active: "monthly active users",
  unique_session: "unique sessions",
  unique_group: "unique groups",
  first_time_for_user: "first time",
  first_matching_event_for_user: "first time with filters",
  hogql: "SQL",
  avg: "average",
  min: "minimum",
  max: "maximum",
  p75: "75th percentile",
  p90: "90th percentile",
  p95: "95th percentile",
  p99: "99th percentile",
};

function mathName(math = "total"): string {
  const perUser = /^(\w+)_count_per_actor$/.exec(math)?.[1];
  return perUser === undefined ? (MATHS[math] ?? math) : `count per user ${MATHS[perUser] ?? perUser}`;
}

function breakdownTitle(filter: BreakdownFilter | undefined): string {
  const { parts, cohorts } = brokenBy(filter);
  const names = parts.map(({ property, type }) => propertyLabel(String(property), type));
  return [...names, ...(cohorts.length > 0 ? ["cohort"] : [])].join(" & ");
}

function retentionName(node: QueryNode): string {
  const { targetEntity, returningEntity } = node.retentionFilter as RetentionFilter;
  const first = entityLabel(entityNode(targetEntity));
  const again = entityLabel(entityNode(returningEntity));
  const back = first === again ? "the same event" : again;
  return `${actorsOf(node) === "group" ? "Group" : "User"} retention based on doing ${first} and returning with ${back}`;
}

const PATH_TYPES: Readonly<Record<string, string>> = {
  $pageview: "page views",
  $screen: "screen views",
  custom_event: "custom events",
  hogql: "an SQL expression",
};

function pathsName(node: QueryNode): string {
  const { includeEventTypes: types = [], startPoint, endPoint } = (node.pathsFilter ?? {}) as PathsFilter;
  const based = types.map((type) => PATH_TYPES[type] ?? type).join(" & ") || "all events";
  return `User paths based on ${based}${startPoint ? ` starting at ${startPoint}` : ""}${endPoint ? ` ending at ${endPoint}` : ""}`;
}
