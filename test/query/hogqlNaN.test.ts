import { afterAll, describe, expect, test } from "bun:test";
import { MemoryLake } from "../support/memoryLake.ts";
import { hogql } from "./support.ts";

const lake = await MemoryLake.open();
afterAll(() => lake.close());

const rows = async (query: string) => (await hogql(lake, query)).results;
const table = "(select arrayJoin([1, 2, nan, 4, nan]) as x)";

// JSON shows NaN as null, so each list of answers ends with what tells NaN from NULL.
describe("NaN has no place among numbers", () => {
  test("in quantiles, over rows and over arrays", async () => {
    expect(
      await rows(`select quantileExact(0.5)(x), quantileExactLow(0.9)(x), medianExact(x), quantileExactIf(0.5)(x, x < 4 or isNaN(x)),
        quantileExact(0.5)(if(x > 9, x, nan)) from ${table}`),
    ).toEqual([[2, 4, 2, 2, null]]);
    expect(
      await rows(`select arrayReduce('median', [nan, 2, 4]), arrayReduce('quantileExact', [nan, 2, 4]), quantileExactArray(0.5)([x, nan])
        from ${table} where x = 2`),
    ).toEqual([[3, 4, 2]]);
  });

  test("in the greatest of several, on either side", async () => {
    expect(
      await rows(`select greatest(nan, 1), greatest(x, 1), greatest(1.5, x, 2), least(x, 1.5), greatest(x, null, 3), isNaN(greatest(x, nan))
        from ${table} where isNaN(x) limit 1`),
    ).toEqual([[1, 1, 2, 1.5, 3, true]]);
  });

  test("in the greatest of an array, unless there is nothing else", async () => {
    expect(
      await rows(`select arrayMax([1, nan, 2]), arrayMax([nan, 1]), arrayMin([nan, 1]), arrayMax(x -> x * 2, [nan, 1]),
        arrayReduce('max', [nan, null, 2]), maxArray([x, 7]), isNaN(arrayMax([nan])) from ${table} where isNaN(x) limit 1`),
    ).toEqual([[2, 1, 1, 2, 2, 7, true]]);
  });
});

test("different values in descending order end with NaN", async () => {
  expect(await rows(`select distinct x from ${table} order by x desc`)).toEqual([[4], [2], [1], [null]]);
  expect(await rows(`select distinct x, 7 as y from ${table} order by y, x desc limit 2 offset 1`)).toEqual([
    [2, 7],
    [1, 7],
  ]);
});

test("an array is sorted with NaN and then NULL at its end, in both directions", async () => {
  expect(
    await rows(`select arrayMap(x -> toString(x), arraySort([2, nan, null, 1])), arrayMap(x -> toString(x), arrayReverseSort([null, 2, nan, 1])),
      arrayMap(x -> toString(x), arrayReverseSort(x -> -x, [1, nan, 2]))`),
  ).toEqual([
    [
      ["1", "2", "nan", null],
      ["2", "1", "nan", null],
      ["1", "2", "nan"],
    ],
  ]);
});

test("an angle without bounds has none of these", async () => {
  expect(await rows("select sin(inf), cos(-inf), tan(1 / 0), isNaN(sin(nan)), round(sin(1), 3)")).toEqual([
    [null, null, null, true, 0.841],
  ]);
});
