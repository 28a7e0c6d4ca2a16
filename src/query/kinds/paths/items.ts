import { cleanedPath } from "../../filter/paths.ts";
import { subjectOf } from "../../filter/subjects.ts";
import { alias, and, call, compare, constant, field, from, select } from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { EVENT_FIELDS } from "../../insight/behind.ts";
import { actorsOf, insightFilters } from "../../insight/insight.ts";
import { sampled } from "../../insight/sampling.ts";
import { ofFunnel } from "./funnel.ts";
import { expressionOf, type PathsPlan, showsType, typesOf } from "./plan.ts";

export const [ACTOR, AT, UUID, ITEM] = ["actor", "at", "uuid", "item"].map((name) => field(name)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
const EVENT = field("event");

/** What is wanted of steps: only to count them, or who took them, with the events that they are. */
export type Want = "count" | "actors";

/** The columns of events that stand beside each step. */
export const columnsOf = (want: Want): readonly Expression[] => (want === "count" ? [UUID] : EVENT_FIELDS);

/** The events that paths are made of: rows of `actor`, `at` (Unix milliseconds), `item`, a text, and `columnsOf`. */
export function itemRows(plan: PathsPlan, want: Want): Query {
  const { context, filter, span, samplingFactor, actorGroup, funnel } = plan;
  const { id, key, isOne } = actorsOf(plan, actorGroup);
  const actor = want === "actors" ? id : key;
  const walked = funnel === null ? null : ofFunnel(funnel, actor, want === "actors");
  const at = alias("at", call("toUnixTimestamp64Milli", field("timestamp")));
  const cleaned = alias("item", cleanedItem(plan));
  const conditions = [
    ...inSpan(field("timestamp"), span, context),
    ...ofTypes(plan),
    ...sampled(samplingFactor),
    ...insightFilters(plan),
    ...isOne,
    ...(walked === null ? [] : [walked.within]),
  ];
  const more = columnsOf(want);
  const columns = [alias("actor", actor), at, cleaned, ...more];
  const rows = select(columns, { select_from: from("events", undefined, walked?.actors), where: and(conditions) });
  const grouped = groupedRows(rows, filter.pathGroupings ?? [], more);
  // Of all events none is left out, as in PostHog.
  const excluded = typesOf(filter).length === 0 ? [] : (filter.excludeEvents ?? []);
  if (excluded.length === 0) return grouped;
  const isExcluded = compare(ITEM, "not in", { node: "Tuple", exprs: excluded.map(constant) });
  return select([ACTOR, AT, ITEM, ...more], { select_from: from(grouped), where: isExcluded });
}

function cleanedItem(plan: PathsPlan): Expression {
  const { context, filter } = plan;
  const cleaned = cleanedPath(itemOf(plan), filter.pathReplacements === true ? context.pathCleaningFilters : null);
  return cleanedPath(cleaned, filter.localPathCleaningFilters);
}

/** What an event is on a path. */
function itemOf({ context, filter }: PathsPlan): Expression {
  const textOf = (type: "event" | "hogql", key: string) => {
    const { text } = subjectOf({ type, key, groupTypeIndex: null }, context, "pathsFilter.pathsHogQLExpression");
    return call("ifNull", text, constant(""));
  };
  const expression = expressionOf(filter);
  let item = expression === null ? EVENT : textOf("hogql", expression);
  const shownAs = (event: string, text: Expression) => call("if", compare(EVENT, "==", constant(event)), text, item);
  if (showsType(filter, "$pageview")) {
    const url = textOf("event", "$current_url");
    item = shownAs("$pageview", call("replaceRegexpAll", url, constant("(.)/$"), constant("\\1")));
  }
  return showsType(filter, "$screen") ? shownAs("$screen", textOf("event", "$screen_name")) : item;
}

/** Items that a wildcard matches, in whole or in part, become the first such wildcard. */
function groupedRows(rows: Query, wildcards: readonly string[], more: readonly Expression[]): Query {
  if (wildcards.length === 0) return rows;
  const choices = wildcards.flatMap((wildcard) => {
    const pattern = wildcard.replaceAll(/[\\%_]/g, "\\$&").replaceAll("*", "%");
    return [compare(ITEM, "like", constant(`%${pattern}%`)), constant(wildcard)];
  });
  return select([ACTOR, AT, alias("item", call("multiIf", ...choices, ITEM)), ...more], { select_from: from(rows) });
}

/** The condition that an event is of a type that paths are made of; none where all are, or an expression says what they are. */
function ofTypes({ filter }: PathsPlan): Expression[] {
  const conditions = typesOf(filter).flatMap((type) => {
    if (type === "hogql") return [];
    if (type !== "custom_event") return [compare(EVENT, "==", constant(type))];
    return [{ node: "Not", expr: call("startsWith", EVENT, constant("$")) } satisfies Expression];
  });
  if (conditions.length <= 1) return conditions;
  return [{ node: "Or", exprs: conditions }];
}
