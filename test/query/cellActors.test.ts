import { afterAll, describe, expect, test } from "bun:test";
import { compileTree } from "../../src/query/hogql/mod.ts";
import { bucketNumbers } from "../../src/query/insight/axis.ts";
import { areDays, cellActors } from "../../src/query/insight/measures.ts";
import { readTrends } from "../../src/query/kinds/trends/node.ts";
import { planTrends } from "../../src/query/kinds/trends/plan.ts";
import { selectRows } from "../../src/query/source/statement.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { NOW, openPersonsScene } from "./personsScene.ts";
import { contextOf, trends } from "./support.ts";

const { lake, rows } = await openPersonsScene();
afterAll(() => lake.close());

const context = contextOf(lake, { nowMs: NOW });

/** The actors of each cell of the only series: `[value of the breakdown…, bucket, id]`. */
async function actorsOf(node: JsonObject): Promise<(string | number | null)[][]> {
  const plan = planTrends(readTrends({ kind: "TrendsQuery", ...node }), context, null);
  const [line] = plan.lines;
  const { sql, span } = compileTree(cellActors(plan, line!), context);
  const rows = await selectRows<(string | null)[]>(sql, { span, maxRows: 1000 }, context);
  const numbers = bucketNumbers(line!.period, areDays(line!));
  return rows.flatMap((row) => numbers(row.at(-2)!).map((number) => [...row.slice(0, -2), number, row.at(-1)!]));
}

const DISPLAYS = ["ActionsLineGraph", "ActionsLineGraphCumulative", "BoldNumber"];
const BREAKDOWNS = [null, { breakdown: "$group_0", breakdown_type: "event" }];

describe.each(["dau", "weekly_active", "monthly_active", "unique_group", "first_time_for_user"])("of %s", (math) => {
  test.each(DISPLAYS.flatMap((display) => BREAKDOWNS.map((by) => [display, by] as const)))(
    "a cell has as many actors as it counts: %s by %j",
    async (display, breakdownFilter) => {
      const series = [{ kind: "EventsNode", math, math_group_type_index: 0 }];
      const node = { series, breakdownFilter, trendsFilter: { display } };
      const { results } = await trends(lake, node, { nowMs: NOW });
      const cells = (await actorsOf(node)).filter((row) => row.at(-1) !== null);
      for (const { breakdown_value: value, data, aggregated_value: total } of results) {
        const own = cells.filter((row) => value === undefined || row[0] === value);
        const counts = (data ?? []).map((_, bucket) => own.filter((row) => row.at(-2) === bucket).length);
        const sums = counts.map((_, bucket) => counts.slice(0, bucket + 1).reduce((sum, count) => sum + count, 0));
        const isTotal = total !== undefined;
        const isRunning = display === "ActionsLineGraphCumulative";
        expect(isTotal ? own.length : isRunning ? sums : counts).toEqual(isTotal ? total : data!);
      }
      expect(new Set(cells.map((row) => JSON.stringify(row))).size).toBe(cells.length);
    },
  );
});

test("persons are told by their ids after merges, and only once where they did several things", async () => {
  const node = { series: [{ kind: "EventsNode", math: "total" }], trendsFilter: { display: "BoldNumber" } };
  const persons = (await actorsOf(node)).map((row) => String(row.at(-1)));
  expect(persons.sort()).toEqual(
    (await rows("select distinct person_id from events")).map(([id]) => String(id)).sort(),
  );
});
