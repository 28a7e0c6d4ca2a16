import { Type } from "@sinclair/typebox";
import { askTree, INSIGHT_RESPONSE, type Told } from "../../insight/answer.ts";
import { isEmpty, type Period } from "../../insight/axis.ts";
import { datesOf } from "../../insight/ranges.ts";
import type { QueryContext } from "../../source/context.ts";
import { agesOfRows } from "../ages.ts";
import { filtersIn } from "../funnels/node.ts";
import { plannedFunnels } from "../funnels/run.ts";
import type { Kind, QueryResponse } from "../kind.ts";
import { asItIs } from "../overrides.ts";
import { list } from "../table.ts";
import { behindCorrelation } from "./actors.ts";
import { type CorrelationQuery, CorrelationSchema, FUNNEL_PLACE, readCorrelation } from "./node.ts";
import { type Correlation, correlationsOf, fewestOf, isSkewed } from "./result.ts";
import { correlationTree, totalsTree } from "./tree.ts";

export interface CorrelationResponse extends QueryResponse, Told {
  results: { events: Correlation[]; skewed: boolean };
}

/** What those have done, or have, who came to the end of a funnel, and those who did not. */
export const CORRELATION: Kind = {
  name: "FunnelCorrelationQuery",
  schema: CorrelationSchema,
  response: {
    results: Type.Object({
      events: Type.Array(Type.Unknown(), { description: "Those for coming to the end, then those against it." }),
      skewed: Type.Boolean({ description: "One end has more than ten times the actors of the other." }),
    }),
    ...INSIGHT_RESPONSE,
  },
  ages: agesOfRows,
  override: asItIs,
  read(source) {
    const query = readCorrelation(source);
    const { funnel } = query;
    return {
      texts: [],
      filters: filtersIn(funnel),
      filterTestAccounts: funnel.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(funnel, calendar),
      actors: {
        behind: (part, context) => behindCorrelation(query, part, context),
        options: async () => ({}),
      },
      run: (context) => runCorrelation(query, context),
    };
  },
  table: ({ results }) => ({
    columns: ["event", "success_count", "failure_count", "odds_ratio", "correlation_type"],
    rows: list((results as { events?: [] } | undefined)?.events).map((one) => {
      const { event, success_count, failure_count, odds_ratio, correlation_type } = one as unknown as Correlation;
      return [event.event, success_count, failure_count, odds_ratio, correlation_type];
    }),
  }),
};

/**
 * Answers a FunnelCorrelationQuery by two statements: how many came to the end, and what they did or have.
 * Errors: as of `runFunnels`.
 */
async function runCorrelation(query: CorrelationQuery, context: QueryContext): Promise<CorrelationResponse> {
  const plan = await plannedFunnels(query.funnel, context, FUNNEL_PLACE);
  const [period] = plan.periods as [Period];
  const asked = { maxRows: 1, isEmpty: isEmpty(period), range: period.range };
  const found = await askTree<[number, number]>(totalsTree(plan), asked, context);
  const [success, failure] = (found.rows[0] ?? [0, 0]).map(Number) as [number, number];
  const totals = { success, failure };
  const tree = correlationTree(plan, query, fewestOf(totals));
  if (success === 0 || failure === 0) return { results: { events: [], skewed: true }, ...found.told };
  const { rows, told } = await askTree<[string, number, number]>(
    tree,
    { ...asked, maxRows: context.limits.maxRows },
    context,
  );
  const counted = rows.map(([name, ...counts]): [string, number, number] => [
    name,
    Number(counts[0]),
    Number(counts[1]),
  ]);
  const timings = [...found.told.timings, ...told.timings];
  return { results: { events: correlationsOf(counted, totals), skewed: isSkewed(totals) }, ...told, timings };
}
