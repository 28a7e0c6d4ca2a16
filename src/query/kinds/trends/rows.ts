import { bucketNumbers, isEmpty, type Period } from "../../insight/axis.ts";
import { areDays } from "../../insight/measures.ts";
import type { TrendsPlan } from "./plan.ts";
import { isWide } from "./tree.ts";

/** A number of a bucket. A value is null where no event of the bucket had a number. */
export type TrendsRow = [line: number, values: string[] | null, bucket: number, value: number | null];

/** What the query of all lines gives (`trendsTree`). */
type Narrow = [line: number, bucket: string | null, value: number | null, ...values: string[]];
type Wide = [bucket: string, ...values: (number | null)[]];

/** The rows of the query by line, and by the numbers of their buckets. */
export function rowsOf(plan: TrendsPlan, given: unknown[][]): TrendsRow[] {
  const rows = isWide(plan) ? wideRows(plan, given) : (given as Narrow[]);
  const readers = plan.lines.map((line) => ({ line, isOfDays: areDays(line) }));
  const known = new Map<string, ReturnType<typeof bucketNumbers>>();
  const reader = (period: Period, isOfDays: boolean) => {
    const key = `${plan.periods.indexOf(period)} ${isOfDays}`;
    const numbers = known.get(key) ?? bucketNumbers(period, isOfDays);
    known.set(key, numbers);
    return numbers;
  };
  return rows.flatMap(([index, bucket, value, ...values]): TrendsRow[] => {
    const { line, isOfDays } = readers[index]!;
    if (isEmpty(line.period)) return [];
    const numbers = reader(line.period, isOfDays)(bucket);
    if (numbers.length === 0) throw new Error(`there is no bucket ${bucket}`);
    return numbers.map((number) => [index, plan.breakdown?.kind === "properties" ? values : null, number, value]);
  });
}

function wideRows({ shape }: TrendsPlan, given: unknown[][]): Narrow[] {
  const rows = shape === "total" ? given.map((values): Wide => ["", ...(values as number[])]) : (given as Wide[]);
  return rows.flatMap(([bucket, ...values]) => values.map((value, line): Narrow => [line, bucket, value]));
}
