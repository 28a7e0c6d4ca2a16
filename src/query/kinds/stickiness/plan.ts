import { bucketCount, checkCells, type Period } from "../../insight/axis.ts";
import { type Insight, insightOf } from "../../insight/insight.ts";
import type { Series, Line as SeriesLine } from "../../insight/lines.ts";
import { readMath, type SeriesMath } from "../../insight/math.ts";
import { intervalOf, periodsOf } from "../../insight/ranges.ts";
import { exists, nameOf, type SeriesNode } from "../../insight/series.ts";
import { notSupported } from "../../shape/errors.ts";
import { shown } from "../../shape/shapes.ts";
import type { QueryContext } from "../../source/context.ts";
import type { Interval } from "../../time/dates.ts";
import type { StickinessQuery } from "./node.ts";

interface SeriesPlan extends Series {
  order: number;
  /** Null for all events. */
  name: string | null;
}

/** One item of the answer. */
export interface Line extends SeriesLine {
  series: SeriesPlan;
  /** The most intervals that an actor can be active in. */
  intervals: number;
}

/** What a StickinessQuery asks, with every option resolved. */
export interface StickinessPlan extends Insight {
  query: StickinessQuery;
  interval: Interval;
  isCumulative: boolean;
  periods: Period[];
  /** In the order of the answer: each series in each period. */
  lines: Line[];
}

/** Resolves a node. Errors: TerminalError `invalid_query` that names the option. */
export function planStickiness(
  query: StickinessQuery,
  context: QueryContext,
  earliestMs: number | null,
): StickinessPlan {
  const periods = periodsOf(query, context, { earliestMs });
  const all = query.series.map((node, order): SeriesPlan => {
    const place = `series.${order}`;
    return { node, order, name: nameOf(node, context), math: actorMath(node, place), place };
  });
  const size = query.intervalCount ?? 1;
  const lines = all
    .filter(({ node }) => exists(node, context))
    .flatMap((series) =>
      periods.map((period) => {
        return { series, period, cohort: null, intervals: Math.ceil(bucketCount(period) / size) };
      }),
    );
  checkCells(lines.reduce((sum, { intervals }) => sum + intervals, 0));
  return {
    ...insightOf(query, context),
    query,
    interval: intervalOf(query),
    isCumulative: query.stickinessFilter?.computedAs === "cumulative",
    periods,
    lines,
  };
}

/** Maths that mean people here: an actor is active in an interval or not. */
const OF_PEOPLE: ReadonlySet<string> = new Set(["total", "dau", "weekly_active", "monthly_active"]);

/** Who the actors of a series are; with `hogql` what the expression says. */
function actorMath(node: SeriesNode, place: string): SeriesMath {
  const math = node.math ?? "total";
  if (OF_PEOPLE.has(math)) return { kind: "actors" };
  if (math === "unique_group" || math === "hogql") return readMath(node, null, place);
  throw notSupported(`${place}.math`, `the math ${shown(math)}`);
}
