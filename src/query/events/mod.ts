import type { QueryContext } from "../context.ts";
import type { Explained } from "../explain.ts";
import { type HogqlResponse, runTree } from "../hogql/mod.ts";
import type { Select } from "../hogql/tree.ts";
import { readPersons } from "../people.ts";
import { mapInSlices } from "../slices.ts";
import { conditionOf, type Narrowed } from "./conditions.ts";
import type { EventsQuery } from "./node.ts";
import { type EventsPlan, edgeOf, FILTERS, planEvents } from "./plan.ts";

export interface EventsResponse
  extends Explained,
    Pick<HogqlResponse, "hogql" | "limit" | "offset" | "hasMore" | "timings"> {
  /** Cells in the order of `columns`. */
  results: unknown[][];
  /** As they were asked for. */
  columns: string[];
  /** ClickHouse's type names. */
  types: string[];
  /** The time behind which the next page begins (`before`, or `after` where the oldest come first); null at the end. */
  nextCursor: string | null;
  error: null;
}

const ALL: Narrowed = { fromMs: null, toMs: null };

/**
 * Lists events, in two steps (engine rule 20): the times alone tell where the page ends, then only events up to there are
 * read whole. Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runEvents(query: EventsQuery, context: QueryContext): Promise<EventsResponse> {
  const plan = await planEvents(query, context);
  const run = (tree: Select, narrowed: Narrowed) =>
    runTree({ tree, placeholders: new Map([[FILTERS, conditionOf(query, narrowed, context)]]) }, context);
  const edge = edgeOf(plan);
  const found = edge === null ? null : await run(edge, ALL);
  const answer = await run(plan.tree, found === null ? ALL : upTo(found.results[0]?.[0], plan));
  const { hogql, limit, offset, hasMore } = answer;
  return {
    results: await cellsOf(plan, answer.results, context),
    columns: plan.select,
    types: typesOf(plan, answer),
    hogql,
    limit,
    offset,
    hasMore,
    nextCursor: hasMore ? cursorOf(plan, answer) : null,
    error: null,
    timings: [...(found?.timings ?? []), ...answer.timings],
  };
}

/** Without any event nothing is read any more. */
function upTo(time: unknown, { timeOrder }: EventsPlan): Narrowed {
  const ms = typeof time === "string" ? Date.parse(time) : null;
  if (ms === null) return { fromMs: 0, toMs: 0 };
  return timeOrder === "DESC" ? { fromMs: ms, toMs: null } : { fromMs: null, toMs: ms };
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

function cursorOf({ timeOrder, tree }: EventsPlan, { results }: HogqlResponse): string | null {
  const at = tree.select.findIndex((item) => item.node === "Field" && item.chain.join(".") === "timestamp");
  const time = timeOrder === null || at < 0 ? null : results.at(-1)?.[at];
  return typeof time === "string" ? time : null;
}
