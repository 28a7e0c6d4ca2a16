import type { Kind } from "../kind.ts";
import { itemsOf } from "./answer.ts";
import { StickinessChart } from "./chart.tsx";
import type { StickinessNode } from "./node.ts";
import { stickinessTable } from "./table.ts";

export const STICKINESS: Kind<StickinessNode> = {
  name: "StickinessQuery",
  title: "Stickiness",
  icon: "calendar",
  hint: "On how many days people are active",
  blank: ({ event }) => ({
    kind: "StickinessQuery",
    series: [{ kind: "EventsNode", event }],
    dateRange: { date_from: "-30d" },
    interval: "day",
  }),
  Chart: StickinessChart,
  table: stickinessTable,
  isEmpty: (answer) => itemsOf(answer).every(({ count }) => count === 0),
};
