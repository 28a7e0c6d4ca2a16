import { askTree, type Told } from "../../insight/answer.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import { scaled } from "../../insight/sampling.ts";
import { invalidQuery } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone } from "../../time/zone.ts";
import type { QueryResponse } from "../kind.ts";
import { plannedFunnel } from "./funnel.ts";
import type { PathsQuery } from "./node.ts";
import { type PathsPlan, planPaths } from "./plan.ts";
import { edgesTree } from "./tree.ts";

/** One step after another. */
export interface PathsItem {
  /** Place and item, such as `1_/`. */
  source: string;
  target: string;
  /** How often one follows the other. */
  value: number;
  /** Milliseconds. */
  average_conversion_time: number;
}

export interface PathsResponse extends QueryResponse, Told {
  results: PathsItem[];
}

type EdgeRow = [source: string, target: string, value: number, average: number];

/** Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`. */
export async function plannedPaths(query: PathsQuery, context: QueryContext): Promise<PathsPlan> {
  checkZone(context.timezone);
  const funnel = await plannedFunnel(query, context);
  return planPaths(query, context, { earliestMs: await earliestEvent(query, [], context), funnel });
}

/** Answers a PathsQuery. Errors: as of `plannedPaths`. */
export async function runPaths(query: PathsQuery, context: QueryContext): Promise<PathsResponse> {
  for (const name of ["pathStartKey", "pathEndKey", "pathDropoffKey"] as const) {
    if (query.pathsFilter?.[name] != null) throw invalidQuery(`pathsFilter.${name}`, "names people: ask for actors");
  }
  const plan = await plannedPaths(query, context);
  const { range, span, edgeLimit, samplingFactor } = plan;
  const asked = { maxRows: edgeLimit, isEmpty: span.fromMs > span.toMs, range };
  const { rows, told } = await askTree<EdgeRow>(edgesTree(plan), asked, context);
  const results = reached(rows).map(([source, target, value, average]) => ({
    source,
    target,
    value: scaled(value, samplingFactor, "total"),
    average_conversion_time: average,
  }));
  return { results, ...told };
}

/** The edges to which others lead from a first step: beyond the limit there may be gaps. */
function reached(rows: readonly EdgeRow[]): EdgeRow[] {
  const placeOf = ([source]: EdgeRow): number => Number.parseInt(source, 10);
  const known = new Set<string>();
  for (const row of rows.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    if (placeOf(row) === 1) known.add(row[0]);
    if (known.has(row[0])) known.add(row[1]);
  }
  return rows.filter(([source]) => known.has(source));
}
