import type { QueryAnswer } from "../../api/node.ts";
import { axisOf } from "../parts/axis.ts";
import type { Cohort } from "./answer.ts";
import { DEFAULT_INTERVALS, type RetentionNode } from "./node.ts";

/** When cohorts began, in the zone of the project. */
export const cohortLabels = ({ retentionFilter }: RetentionNode, answer: QueryAnswer, cohorts: readonly Cohort[]) =>
  axisOf(
    cohorts.map(({ item }) => item.date),
    (retentionFilter.period ?? "Day").toLowerCase(),
    answer.timezone,
  );

/** "Last 7 days": what an absent date means. */
export const fallbackOf = ({ retentionFilter: { period = "Day", totalIntervals } }: RetentionNode): string =>
  `Last ${totalIntervals ?? DEFAULT_INTERVALS} ${period.toLowerCase()}s`;
