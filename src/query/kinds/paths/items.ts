import { cleanedPath } from "../../filter/paths.ts";
import { subjectOf } from "../../filter/subjects.ts";
import { alias, and, call, compare, constant, field, from, select } from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { EVENT_FIELDS } from "../../insight/behind.ts";
import { actorsOf, insightFilters } from "../../insight/insight.ts";
import { sampled } from "../../insight/sampling.ts";
import { ofFunnel } from "./funnel.ts";
import type { PathsFilter } from "./node.ts";
import { expressionOf, type PathsPlan, showsType, typesOf } from "./plan.ts";

export const [ACTOR, AT, UUID, ITEM] = ["actor", "at", "uuid", "item"].map((name) => field(name)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
const EVENT = field("event");
const ONE = constant(1);

/** What is wanted of steps: only to count them, or who took them, with the events that they are. */
export type Want = "count" | "actors";

/** The columns of events that stand beside each step. */
export const columnsOf = (want: Want): readonly Expression[] => (want === "count" ? [UUID] : EVENT_FIELDS);

/** The events that paths are made of: rows of `actor`, `at` (Unix milliseconds), `item`, a text, and `columnsOf`. */
export function itemRows(plan: PathsPlan, want: Want): Query {
  const { filter, actorGroup, funnel } = plan;
  const { id, key } = actorsOf(plan, actorGroup);
  const actor = want === "actors" ? id : key;
  const walked = funnel === null ? null : ofFunnel(funnel, actor, want === "actors");
  const conditions = [...eventConditions(plan), ...(walked === null ? [] : [walked.within])];
  const at = alias("at", call("toUnixTimestamp64Milli", field("timestamp")));
  const more = columnsOf(want);
  const columns = [alias("actor", actor), at, alias("item", cleanedItem(plan)), ...more];
  const rows = select(columns, { select_from: from("events", undefined, walked?.actors), where: and(conditions) });
  const grouped =
    groupingsOf(filter).length === 0
      ? rows
      : select([ACTOR, AT, alias("item", groupedItem(ITEM, filter)), ...more], { select_from: from(rows) });
  const excluded = excludedFrom(ITEM, filter);
  if (excluded === null) return grouped;
  return select([ACTOR, AT, ITEM, ...more], { select_from: from(grouped), where: excluded });
}

/** Items are said again for each of so many wildcards in a walk, at most. */
const MAX_WILDCARDS = 20;

/**
 * The same for a walk (`PathsProgram`), from the events themselves: rows of `actor`, `timestamp`, `uuid`, `steps` and `value`. Null
 * where that becomes too long, and for the actors of a funnel.
 */
export function walkedItems(plan: PathsPlan, point: string | null): Query | null {
  const { filter, actorGroup, funnel } = plan;
  if (funnel !== null || groupingsOf(filter).length > MAX_WILDCARDS) return null;
  const item = groupedItem(cleanedItem(plan), filter);
  const isPoint = point === null ? constant(0) : call("if", compare(item, "==", constant(point)), ONE, constant(0));
  const columns = {
    actor: actorsOf(plan, actorGroup).key,
    timestamp: field("timestamp"),
    uuid: UUID,
    steps: isPoint,
    value: call("nullIf", item, constant("")),
  };
  const conditions = [...eventConditions(plan), excludedFrom(item, filter)].filter((condition) => condition !== null);
  return select(
    Object.entries(columns).map(([name, column]) => alias(name, column)),
    { select_from: from("events"), where: and(conditions) },
  );
}

function eventConditions(plan: PathsPlan): Expression[] {
  const { context, span, samplingFactor, actorGroup } = plan;
  return [
    ...inSpan(field("timestamp"), span, context),
    ...ofTypes(plan),
    ...sampled(samplingFactor),
    ...insightFilters(plan),
    ...actorsOf(plan, actorGroup).isOne,
  ];
}

/** The condition that an item is none of the excluded ones; null where it always holds. Of all events none is left out, as in PostHog. */
function excludedFrom(item: Expression, filter: PathsFilter): Expression | null {
  const excluded = typesOf(filter).length === 0 ? [] : (filter.excludeEvents ?? []);
  return excluded.length === 0 ? null : compare(item, "not in", { node: "Tuple", exprs: excluded.map(constant) });
}

/**
 * What an event is on a path, cleaned. Rules are put to each text itself, before one that is missing becomes empty: of a column that is stored as a
 * dictionary the engine cleans each value once, not each row.
 */
function cleanedItem({ context, filter }: PathsPlan): Expression {
  const ofProject = filter.pathReplacements === true ? context.pathCleaningFilters : null;
  const cleaned = (text: Expression) => cleanedPath(cleanedPath(text, ofProject), filter.localPathCleaningFilters);
  const orEmpty = (text: Expression) => call("ifNull", cleaned(text), cleaned(constant("")));
  const textOf = (type: "event" | "hogql", key: string) =>
    subjectOf({ type, key, groupTypeIndex: null }, context, "pathsFilter.pathsHogQLExpression").text;
  const expression = expressionOf(filter);
  let item = expression === null ? cleaned(EVENT) : orEmpty(textOf("hogql", expression));
  const shownAs = (event: string, text: Expression) =>
    call("if", compare(EVENT, "==", constant(event)), orEmpty(text), item);
  if (showsType(filter, "$pageview")) {
    const url = textOf("event", "$current_url");
    item = shownAs("$pageview", call("replaceRegexpAll", url, constant("(.)/$"), constant("\\1")));
  }
  return showsType(filter, "$screen") ? shownAs("$screen", textOf("event", "$screen_name")) : item;
}

const groupingsOf = ({ pathGroupings }: PathsFilter): readonly string[] => pathGroupings ?? [];

/** Items that a wildcard matches, in whole or in part, become the first such wildcard. */
function groupedItem(item: Expression, filter: PathsFilter): Expression {
  const wildcards = groupingsOf(filter);
  if (wildcards.length === 0) return item;
  const choices = wildcards.flatMap((wildcard) => {
    const pattern = wildcard.replaceAll(/[\\%_]/g, "\\$&").replaceAll("*", "%");
    return [compare(item, "like", constant(`%${pattern}%`)), constant(wildcard)];
  });
  return call("multiIf", ...choices, item);
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
