import type { Kind } from "../kind.ts";
import { isEmpty } from "./answer.ts";
import { LifecycleChart } from "./chart.tsx";
import type { LifecycleNode } from "./node.ts";
import { lifecycleTable } from "./table.ts";

export const LIFECYCLE: Kind<LifecycleNode> = {
  name: "LifecycleQuery",
  title: "Lifecycle",
  icon: "people",
  hint: "Who is new, comes back, or stays away",
  blank: ({ event }) => ({
    kind: "LifecycleQuery",
    series: [{ kind: "EventsNode", event }],
    dateRange: { date_from: "-30d" },
    interval: "day",
  }),
  Chart: LifecycleChart,
  table: lifecycleTable,
  isEmpty,
};
