import type { QueryAnswer } from "../../api/node.ts";
import { axisLabels, type Interval, placeTitle } from "../../format/date.ts";
import { localText } from "../parts/axis.ts";
import type { TrendsItem, TrendsNode } from "./types.ts";

/** Of quarters the months are read. */
const intervalOf = ({ interval = "day" }: TrendsNode): Interval =>
  interval === "quarter" ? "month" : (interval as Interval);

/** The days of an answer, short, as an axis has them. */
export const labelsOf = (node: TrendsNode, days: readonly string[]): readonly string[] =>
  axisLabels(days, intervalOf(node));

/** A day of an answer in full: "Fri 1 May 2026". */
export const titleOf = (node: TrendsNode, day: string): string => placeTitle(day, intervalOf(node));

/** How many of the last values are of intervals that were not over when the answer was made. */
export function incompleteOf(item: TrendsItem, answer: QueryAnswer): number {
  const end = (answer.resolved_date_range as { date_to?: string } | undefined)?.date_to;
  const at = answer.last_refresh ?? new Date().toISOString();
  if (end === undefined || Date.parse(end) <= Date.parse(at) || item.days.length < 2) return 0;
  const now = localText(Date.parse(at), answer.timezone);
  const last = item.days.findLastIndex((day) => day.replace("T", " ") <= now);
  return last < 0 ? 0 : item.days.length - last;
}
