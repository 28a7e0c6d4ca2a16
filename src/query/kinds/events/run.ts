import type { HogqlResponse } from "../../hogql/mod.ts";
import { and } from "../../hogql/syntax/build.ts";
import { printQuery } from "../../hogql/syntax/print.ts";
import type { Order, Select } from "../../hogql/syntax/tree.ts";
import { runListing } from "../../list/listing.ts";
import type { QueryContext } from "../../source/context.ts";
import type { Explained } from "../../source/explainingLake.ts";
import { readPersons } from "../../source/people.ts";
import { mapInSlices } from "../../source/slices.ts";
import type { Span } from "../../time/dates.ts";
import { conditionsOf } from "./conditions.ts";
import { cursorOf, type Ends, endsOf, withoutUuids } from "./ends.ts";
import type { EventsQuery } from "./node.ts";
import { type EventsPlan, edgeOf, planEvents } from "./plan.ts";

export interface EventsResponse
  extends Explained,
    Pick<HogqlResponse, "hogql" | "limit" | "offset" | "hasMore" | "timings"> {
  /** Cells in the order of `columns`. */
  results: unknown[][];
  /** As they were asked for. */
  columns: string[];
  /** ClickHouse's type names. */
  types: string[];
  /**
   * Where the next page begins, to be passed as `before` (`after` where the oldest come first): the time of the last event
   * and its uuid, `2026-01-31T10:00:00.000Z_<uuid>`. Null at the end, and where the rows are in another order than by time
   * and uuid: `offset` leads on there.
   */
  nextCursor: string | null;
  error: null;
}

const ALL: Span = { fromMs: null, toMs: null };

/**
 * Lists events, in two steps (engine rule 20): the times alone tell where the page ends, then only events up to there are
 * read whole. Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runEvents(query: EventsQuery, context: QueryContext): Promise<EventsResponse> {
  const plan = await planEvents(query, context);
  const ends = endsOf(query, context);
  const within = (tree: Select, part: { ends: Ends; narrowed: Span }): Select => {
    return {
      ...tree,
      where: and([...(tree.where == null ? [] : [tree.where]), ...conditionsOf(query, part, context)]),
    };
  };
  const { tree, timeOrder } = plan;
  const edge =
    timeOrder &&
    (await runListing(
      edgeOf(plan, within(tree, { ends: withoutUuids(ends, timeOrder), narrowed: ALL }), timeOrder),
      context,
    ));
  const narrowed = edge === null ? ALL : upTo(edge.results[0]?.[0], ends, timeOrder!);
  const answer = await runListing(
    within({ ...tree, select: [...tree.select, ...plan.key] }, { ends, narrowed }),
    context,
  );
  const { limit, offset, hasMore } = answer;
  return {
    results: await cellsOf(plan, answer.results, context),
    columns: plan.select,
    types: typesOf(plan, answer),
    hogql: printQuery(within(tree, { ends, narrowed: ALL })),
    limit,
    offset,
    hasMore,
    nextCursor: hasMore ? cursorBehind(plan, answer) : null,
    error: null,
    timings: [...(edge?.timings ?? []), ...answer.timings],
  };
}

/** Without a time there are only events of the very time at which the page begins, and those only behind a cursor. */
function upTo(time: unknown, { after, before }: Ends, order: Order["order"]): Span {
  if (typeof time !== "string") {
    const near = order === "DESC" ? before : after;
    const ms = near === null || near.uuid === null ? 0 : near.at.epochMilliseconds;
    return { fromMs: ms, toMs: ms };
  }
  const ms = Date.parse(time);
  return order === "DESC" ? { fromMs: ms, toMs: null } : { fromMs: null, toMs: ms };
}

/** Each column's values begin behind those of the columns before it. */
function spansOf({ columns }: EventsPlan): { from: number; to: number }[] {
  let at = 0;
  return columns.map(({ items }) => {
    const from = at;
    at += items.length;
    return { from, to: at };
  });
}

async function cellsOf(plan: EventsPlan, rows: unknown[][], context: QueryContext): Promise<unknown[][]> {
  const spans = spansOf(plan);
  const ids = new Set<string>();
  plan.columns.forEach(({ readsPerson }, i) => {
    if (readsPerson) for (const row of rows) ids.add(String(row[spans[i]!.from]));
  });
  const persons = await readPersons([...ids], context);
  return mapInSlices(rows, (row) =>
    plan.columns.map(({ cell }, i) => cell(row.slice(spans[i]!.from, spans[i]!.to), persons, context)),
  );
}

function typesOf(plan: EventsPlan, answer: HogqlResponse): string[] {
  return spansOf(plan).map(({ from, to }) => {
    const types = answer.types.slice(from, to).map(([, type]) => type);
    return types.length === 1 ? types[0]! : `Tuple(${types.join(", ")})`;
  });
}

/** The key's values stand behind those of the columns. */
function cursorBehind({ key }: EventsPlan, { results }: HogqlResponse): string | null {
  const [time, uuid] = key.length === 0 ? [] : results.at(-1)!.slice(-key.length);
  return time === undefined ? null : cursorOf(String(time), String(uuid));
}
