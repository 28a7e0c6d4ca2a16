/** What aggregates and window functions read: rows of a place `i`, a whole number `x`, a fraction `y` and a text `s`. */
export type Row = { i: number; x: number | null; y: number | null; s: string | null };

const row = (i: number, x: number | null, y: number | null, s: string | null): Row => ({ i, x, y, s });

export const SETS: Record<string, readonly Row[]> = {
  some: [row(1, 3, 1.5, "b"), row(2, 1, -2.5, "a"), row(3, null, null, null), row(4, 2, 0.25, ""), row(5, 1, 10, "a")],
  one: [row(1, 7, 0.5, "x")],
  nothing: [row(1, null, null, null), row(2, null, null, null)],
  none: [],
};

const OF_NUMBERS =
  "sum avg min max median quantile quantileExact quantileExactInclusive medianExact stddevPop stddevSamp varPop varSamp uniq uniqExact countDistinct count groupUniqArray sumKahan";

/** Expressions over all rows of a set. */
export const AGGREGATES: readonly string[] = [
  "count()",
  ...OF_NUMBERS.split(" ").flatMap((name) => [sorted(name, "x"), sorted(name, "y")]),
  ...["min", "max", "uniq", "count", "uniqExact", "anyHeavy"].map((name) => `${name}(s)`),
  ...["sumIf", "avgIf", "minIf", "countIf", "uniqIf", "medianIf"].map((name) =>
    name === "countIf" ? "countIf(x > 1)" : `${name}(y, x > 1)`,
  ),
  ...["sumOrNull(x)", "sumOrDefault(x)", "avgOrDefault(y)", "minOrNull(x)", "countOrNull(x)"],
  "arraySort(groupArray(x))",
  "arraySort(groupArray(s))",
  "arraySort(groupUniqArray(s))",
  "groupArraySorted(2)(x)",
  "arraySort(groupArray(i))",
  "uniq(x, s)",
  "uniqExactIf(x, y, i > 1)",
  "count(distinct s, x)",
  "argMin(s, x)",
  "argMax(i, y)",
  "argMin(i, y)",
  "avgWeighted(y, x)",
  "quantile(0.9)(x)",
  "quantile(0)(y)",
  "quantileExact(0.9)(x)",
  "quantileExactLow(0.5)(x)",
  "quantileExactInclusive(0.25)(x)",
  "quantileExactInclusive(0.9)(y)",
  "quantileTDigest(0.5)(i)",
  "quantiles(0.25, 0.75)(y)",
  "entropy(x)",
  "covarPop(i, y)",
  "covarSamp(i, y)",
  "corr(i, y)",
  "groupBitAnd(i)",
  "groupBitOr(i)",
  "groupBitXor(i)",
  "sumWithOverflow(i)",
  "topK(1)(x)",
  "sum(distinct x)",
  "countDistinctIf(x, i > 1)",
  "sumArray([x, i])",
  "sumMap([toString(i % 2)], [i])",
  "sumForEach([i, 1])",
  "windowFunnel(10)(toDateTime(fromUnixTimestamp(i)), s = 'b', s = 'a')",
  "windowFunnel(1)(toDateTime(fromUnixTimestamp(i)), s = 'b', s = 'a', s = '')",
  "windowFunnel(2)(toDateTime(fromUnixTimestamp(i)), x = 3, x = 1, x = 2)",
  "windowFunnel(10, 'strict_order')(toDateTime(fromUnixTimestamp(i)), s = 'b', s = 'a', x = 1)",
  "windowFunnel(10, 'strict_increase')(toDateTime(fromUnixTimestamp(i)), s = 'b', s = 'a', x = 1)",
  "windowFunnel(10, 'strict_deduplication')(toDateTime(fromUnixTimestamp(i)), s = 'b', s = 'a', x = 2)",
  "retention(s = 'b', s = 'a', s = 'nothing')",
  "retention(s = 'zzz', s = 'a')",
  "retention(i = 1, i = 1)",
  // NaN in the first row.
  ...["> 1", ">= 1", "< 3", "<= 3", "between 1 and 3"].map((than) => `countIf((i - 1) / (i - 1) * i ${than})`),
  "countIf(not ((i - 1) / (i - 1) * i < 3))",
  "countIf(1 < (i - 1) / (i - 1) * i)",
  ...["max", "min", "median", "quantile(0.9)", "quantiles(0.5)", "sum"].map((name) => `${name}((i - 1) / (i - 1) * i)`),
  ...["argMax", "argMin"].map((name) => `${name}(i, (i - 1) / (i - 1) * i)`),
];

function sorted(name: string, argument: string): string {
  const call = `${name}(${argument})`;
  return name === "groupUniqArray" ? `arraySort(${call})` : call;
}

/** Expressions with OVER, each row by row in the order of `i`. */
export const WINDOWS: readonly string[] = [
  "row_number() over (order by i)",
  "rank() over (order by x)",
  "dense_rank() over (order by x)",
  "percent_rank() over (order by x)",
  "cume_dist() over (order by x)",
  "ntile(2) over (order by i)",
  "row_number() over (order by (i - 1) / (i - 1) * i desc)",
  "max((i - 1) / (i - 1) * i) over (order by i)",
  ...[
    "sum(x)",
    "count(x)",
    "min(y)",
    "avg(y)",
    "max(s)",
    "any(s)",
    "anyLast(s)",
    "first_value(x)",
    "last_value(x)",
    "last_value(s)",
    "anyLast(x)",
  ].map((call) => `${call} over (order by i)`),
  "last_value(x) over (order by i rows between unbounded preceding and unbounded following)",
  "first_value(s) over (order by i rows between 1 preceding and 1 following)",
  "last_value(s) over (order by i rows between 1 preceding and 1 following)",
  "sum(i) over (partition by x order by i)",
  "nth_value(x, 2) over (order by i)",
  ...["lagInFrame", "leadInFrame"].flatMap((name) =>
    ["i", "x", "s", "i, 2", "i, 1, 99"].map(
      (args) => `${name}(${args}) over (order by i rows between unbounded preceding and unbounded following)`,
    ),
  ),
];
