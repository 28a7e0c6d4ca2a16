import { afterAll, expect, test } from "bun:test";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import type { QueryAnswer, QueryNode } from "../../src/web/app/api/node.ts";
import type { Drill } from "../../src/web/app/kinds/drill.ts";
import { trendSeries } from "../../src/web/app/kinds/funnels/answer.ts";
import { trendDrill } from "../../src/web/app/kinds/funnels/drill.ts";
import type { FunnelsNode } from "../../src/web/app/kinds/funnels/node.ts";
import { shownItems } from "../../src/web/app/kinds/lifecycle/answer.ts";
import { partDrill } from "../../src/web/app/kinds/lifecycle/drill.ts";
import type { LifecycleNode } from "../../src/web/app/kinds/lifecycle/node.ts";
import { drillOf } from "../../src/web/app/kinds/trends/drill.ts";
import { linesOf } from "../../src/web/app/kinds/trends/lines.ts";
import type { TrendsNode } from "../../src/web/app/kinds/trends/types.ts";
import { contextOf } from "../query/support.ts";
import { MemoryLake } from "../support/memoryLake.ts";

// The clock of New York goes back at 2 on this night, so 01:00 comes twice: at 05:00 and 06:00 UTC. Behind each are its own people.

const ZONE = "America/New_York";
const DATES = { interval: "hour", dateRange: { date_from: "2023-11-04", date_to: "2023-11-06" } } as const;
const HOURS = ["04:30", "05:10", "05:40", "06:05", "06:15", "06:50", "07:20"];
const seen = HOURS.map((time, at) => ({ distinctId: `p${at}`, atMs: Date.parse(`2023-11-05T${time}:00Z`) }));
const lake = await MemoryLake.open(
  seen.map(({ distinctId, atMs }) => ({ event: "see", distinctId, timestampMs: atMs, properties: {} })),
);
await lake.addPersons(
  seen.map(({ distinctId, atMs }) => ({ distinctIds: [distinctId], createdAtMs: atMs, properties: {} })),
);
afterAll(async () => {
  closeParser();
  await lake.close();
});
const context = contextOf(lake, { nowMs: Date.parse("2023-11-05T09:00:00Z"), timezone: ZONE });

async function ask(node: QueryNode): Promise<QueryAnswer> {
  const answer = await runQuery(JSON.parse(JSON.stringify(node)) as JsonObject, context);
  return { last_refresh: null, timezone: ZONE, ...answer } as unknown as QueryAnswer;
}

const SEE = { kind: "EventsNode", event: "see" } as const;

const drillsOf: Record<string, () => Promise<Drill[]>> = {
  "a trend": async () => {
    const node: TrendsNode = { kind: "TrendsQuery", series: [{ ...SEE, math: "dau" }], ...DATES };
    const [line] = linesOf(node, await ask(node));
    return line!.item.days.map((_, index) => drillOf(node, line!, index, ZONE));
  },
  "a lifecycle": async () => {
    const node: LifecycleNode = { kind: "LifecycleQuery", series: [SEE], ...DATES };
    const item = shownItems(node, await ask(node)).find(({ status }) => status === "new")!;
    return item.days.map((when, index) => partDrill(node, item, index, { when, zone: ZONE }));
  },
  "a funnel": async () => {
    const funnelsFilter = { funnelVizType: "trends" } as const;
    const node: FunnelsNode = { kind: "FunnelsQuery", series: [SEE, SEE], funnelsFilter, ...DATES };
    const [series] = trendSeries(await ask(node));
    return series!.item.days.map((when, index) =>
      trendDrill(node, series!, index, { isDropped: true, when, zone: ZONE }),
    );
  },
};

test.each(Object.keys(drillsOf))("an hour that comes twice has its own people each time: %s", async (of) => {
  const drills = await drillsOf[of]!();
  expect(drills.map(({ count }) => count).filter((count) => count !== 0)).toEqual([1, 2, 3, 1]);
  for (const { source, count } of drills) {
    const { results } = await ask({ kind: "ActorsQuery", source, select: ["id"] });
    expect((results as unknown[]).length).toBe(count!);
  }
});
