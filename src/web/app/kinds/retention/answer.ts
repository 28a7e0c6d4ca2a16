import type { QueryAnswer } from "../../api/node.ts";
import { columnsOf, type RetentionNode } from "./node.ts";

/** A cohort as the answer has it. */
interface CohortItem {
  label: string;
  /** When its interval begins. */
  date: string;
  values: { count: number; aggregation_value?: number; label: string }[];
  breakdown_value: unknown;
}

export interface Cell {
  /** How many people; null: that time has not come. */
  people: number | null;
  /** What is shown: people, or the sum or average that is asked for. */
  shown: number | null;
  ratio: number | null;
  /** The time is not over. */
  isIncomplete: boolean;
}

export interface Cohort {
  /** Its number, from 0. */
  index: number;
  item: CohortItem;
  size: number;
  cells: Cell[];
}

/** The cohorts of a value of the breakdown; one of them where there is no breakdown. */
export interface RetentionTable {
  value: unknown;
  columns: string[];
  cohorts: Cohort[];
  /** Of each column the average share, by the cohorts whose time is over; null where there are none. */
  mean: (number | null)[];
}

export function tablesOf(node: RetentionNode, answer: QueryAnswer): RetentionTable[] {
  const items = (answer.results ?? []) as CohortItem[];
  const byValue = Map.groupBy(items, ({ breakdown_value: value }) => JSON.stringify(value));
  return [...byValue.values()].map((own) => {
    const cohorts = cohortsOf(node, answer, own);
    const columns = own[0]!.values.map(({ label }) => label);
    return { value: own[0]!.breakdown_value, columns, cohorts, mean: columns.map((_, i) => meanOf(node, cohorts, i)) };
  });
}

function cohortsOf(node: RetentionNode, answer: QueryAnswer, items: readonly CohortItem[]): Cohort[] {
  const last = items.length - 1;
  const columns = [{ from: 0, to: 0 }, ...columnsOf(node)];
  // A window of a person who began late in an interval ends in the next one.
  const late = node.retentionFilter.timeWindowMode === "24_hour_windows" ? 1 : 0;
  const isRunning = isLastRunning(answer);
  return items.map((item, index) => {
    const size = item.values[0]?.count ?? 0;
    const cells = item.values.map((value, column): Cell => {
      const { from, to } = columns[column] ?? { from: column, to: column };
      if (index + from > last) return { people: null, shown: null, ratio: null, isIncomplete: true };
      const end = index + to + (column === 0 ? 0 : late);
      return {
        people: value.count,
        shown: value.aggregation_value ?? value.count,
        ratio: ratioOf(node, item, column),
        isIncomplete: end > last || (end === last && isRunning),
      };
    });
    return { index, item, size, cells };
  });
}

/** The share of the cohort, or of those of the column before. */
function ratioOf({ retentionFilter }: RetentionNode, { values }: CohortItem, column: number): number | null {
  const isOfPrevious = retentionFilter.retentionReference === "previous" && column > 0;
  const whole = values[isOfPrevious ? column - 1 : 0]!.count;
  return whole === 0 ? null : values[column]!.count / whole;
}

/** Whether the interval of the last cohort is not over. */
function isLastRunning({ resolved_date_range: range, last_refresh: at }: QueryAnswer): boolean {
  const end = (range as { date_to?: string } | undefined)?.date_to;
  return end !== undefined && at !== null && Date.parse(end) > Date.parse(at);
}

function meanOf(node: RetentionNode, cohorts: readonly Cohort[], column: number): number | null {
  const over = cohorts.filter(({ cells }) => {
    const cell = cells[column]!;
    return cell.ratio !== null && (!cell.isIncomplete || column === 0);
  });
  if (over.length === 0) return null;
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  if (node.retentionFilter.meanRetentionCalculation === "weighted") {
    const isOfPrevious = node.retentionFilter.retentionReference === "previous" && column > 0;
    const whole = sum(over.map(({ cells }) => cells[isOfPrevious ? column - 1 : 0]!.people ?? 0));
    return whole === 0 ? null : sum(over.map(({ cells }) => cells[column]!.people ?? 0)) / whole;
  }
  return sum(over.map(({ cells }) => cells[column]!.ratio!)) / over.length;
}

export const isEmpty = ({ results }: QueryAnswer): boolean =>
  ((results ?? []) as CohortItem[]).every(({ values }) => (values[0]?.count ?? 0) === 0);
