import { askTree, type Told } from "../../insight/answer.ts";
import { isEmpty } from "../../insight/axis.ts";
import { periodOptions } from "../../insight/behind.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import { invalidPart } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone } from "../../time/zone.ts";
import type { ActorRows, QueryResponse, ReadActors } from "../kind.ts";
import { readPart, type StickinessQuery } from "./node.ts";
import { planStickiness, type StickinessPlan } from "./plan.ts";
import { type StickinessItem, type StickinessRow, stickinessItems } from "./result.ts";
import { stickinessActors, stickinessTree } from "./tree.ts";

/** `hogql` gives the numbers before they are summed up and scaled. */
export interface StickinessResponse extends QueryResponse, Told {
  results: StickinessItem[];
}

async function planned(query: StickinessQuery, context: QueryContext): Promise<StickinessPlan> {
  checkZone(context.timezone);
  return planStickiness(query, context, await earliestEvent(query, query.series, context));
}

/**
 * Answers a StickinessQuery: plan, one statement, items.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runStickiness(query: StickinessQuery, context: QueryContext): Promise<StickinessResponse> {
  const plan = await planned(query, context);
  const { lines, periods } = plan;
  const maxRows = lines.reduce((sum, { intervals }) => sum + intervals, 0);
  const asked = { maxRows, isEmpty: periods.every(isEmpty), range: periods[0]!.range };
  const tree = lines.length === 0 ? null : stickinessTree(plan);
  const { rows, told } = await askTree<StickinessRow>(tree, asked, context);
  return {
    results: stickinessItems(plan, rows),
    ...told,
  };
}

/** Who is behind the bars of a StickinessQuery. */
export const stickinessActorsOf = (query: StickinessQuery): ReadActors => ({
  async behind(node, context): Promise<ActorRows> {
    const part = readPart(node);
    const plan = await planned(query, context);
    const line = plan.lines.find(({ series, period }) => series.order === part.series && period.label === part.period);
    if (line === undefined) {
      const isPeriod = plan.lines.some(({ series }) => series.order === part.series);
      throw invalidPart(isPeriod ? "compare" : "series", "the answer has no such item");
    }
    const { math } = line.series;
    const group = math.kind === "groups" ? math.index : math.kind === "hogql" ? null : plan.actorGroup;
    return { query: stickinessActors(plan, line, part), group, columns: [] };
  },
  async options(context) {
    const plan = await planned(query, context);
    const items = stickinessItems(plan, []);
    const most = items.reduce<StickinessItem | null>(
      (a, b) => (a !== null && a.days.length >= b.days.length ? a : b),
      null,
    );
    return {
      day: (most?.days ?? []).map((value, i) => ({ label: most!.labels[i]!, value })),
      series: plan.lines
        .filter(({ period }) => period.label === "current")
        .map(({ series }) => ({ label: series.name ?? "All events", value: series.order })),
      ...periodOptions(plan.periods),
    };
  },
});
