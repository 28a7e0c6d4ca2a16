import { bucketNumbers, isEmpty } from "../../insight/axis.ts";
import { areDays } from "../../insight/measures.ts";
import type { TrendsPlan } from "./plan.ts";
import type { TrendsTree } from "./tree.ts";

/** A number of a bucket. A value is null where no event of the bucket had a number. */
export type TrendsRow = [line: number, values: string[] | null, bucket: number, value: number | null];

/** What the query of all lines gives (`trendsTree`). */
type Narrow = [line: number, bucket: string | null, value: number | null, ...values: string[]];
type Wide = [bucket: string, ...values: (number | null)[]];

/** The rows of the query by line, and by the numbers of their buckets. */
export function rowsOf(plan: TrendsPlan, { isWide }: TrendsTree, given: unknown[][]): TrendsRow[] {
  const rows = isWide ? wideRows(plan, given) : (given as Narrow[]);
  const numbersOf = plan.lines.map((line) => bucketNumbers(line.period, areDays(line)));
  return rows.flatMap(([line, bucket, value, ...values]): TrendsRow[] => {
    if (isEmpty(plan.lines[line]!.period)) return [];
    const numbers = numbersOf[line]!(bucket);
    if (numbers.length === 0) throw new Error(`there is no bucket ${bucket}`);
    return numbers.map((number) => [line, plan.breakdown?.kind === "properties" ? values : null, number, value]);
  });
}

function wideRows({ shape }: TrendsPlan, given: unknown[][]): Narrow[] {
  const rows = shape === "total" ? given.map((values): Wide => ["", ...(values as number[])]) : (given as Wide[]);
  return rows.flatMap(([bucket, ...values]) => values.map((value, line): Narrow => [line, bucket, value]));
}
