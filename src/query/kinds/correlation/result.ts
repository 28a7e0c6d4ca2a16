import { type Element, elementsOf } from "../events/elements.ts";
import { AUTOCAPTURE, CHAIN, CHAIN_DIVIDER, DIVIDER } from "./tree.ts";

/** How many times as likely those are to come to the end of the funnel who did or have something. */
export type Correlation = {
  event: { event: string; properties: Record<string, string>; elements: Element[] };
  success_count: number;
  failure_count: number;
  odds_ratio: number;
  correlation_type: "success" | "failure";
};

export interface Totals {
  success: number;
  failure: number;
}

const FEWEST_ACTORS = 25;
const FEWEST_SHARE = 0.02;
const SHOWN = 10;
/** Counted beside all that is found, so that no ratio divides by nothing. */
const PRIOR = 1;
/** One end of the funnel has so many times the actors of the other: then ratios say little. */
const SKEWED = 10;

/** What fewer actors have says nothing: a fiftieth of all, at most 25. */
export const fewestOf = ({ success, failure }: Totals): number =>
  Math.ceil(Math.min(FEWEST_ACTORS, FEWEST_SHARE * (success + failure)));

export const isSkewed = ({ success, failure }: Totals): boolean =>
  success > SKEWED * failure || failure > SKEWED * success;

/** The ten that are most for coming to the end, and the ten that are most against it. */
export function correlationsOf(rows: readonly [string, number, number][], totals: Totals): Correlation[] {
  const all = rows.map(([name, success, failure]): Correlation => {
    const for_ = (success + PRIOR) * (totals.failure - failure + PRIOR);
    const against = (totals.success - success + PRIOR) * (failure + PRIOR);
    const ratio = for_ / against;
    const type = ratio > 1 ? "success" : "failure";
    return {
      event: named(name),
      success_count: success,
      failure_count: failure,
      odds_ratio: ratio,
      correlation_type: type,
    };
  });
  const of = (type: Correlation["correlation_type"], sign: number) =>
    all
      .filter((one) => one.correlation_type === type)
      .sort((a, b) => sign * (a.odds_ratio - b.odds_ratio))
      .slice(0, SHOWN);
  return [...of("success", -1), ...of("failure", 1)];
}

function named(event: string): Correlation["event"] {
  const prefix = [AUTOCAPTURE, CHAIN, ""].join(DIVIDER);
  if (!event.startsWith(prefix)) return { event, properties: {}, elements: [] };
  const [type = "", chain = ""] = event.slice(prefix.length).split(CHAIN_DIVIDER);
  return { event, properties: { $event_type: type }, elements: elementsOf(chain) };
}
