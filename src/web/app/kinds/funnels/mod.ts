import type { Kind } from "../kind.ts";
import { isEmpty } from "./answer.ts";
import { FunnelChart } from "./chart.tsx";
import type { FunnelsNode } from "./node.ts";
import { funnelTable } from "./table.ts";

export const FUNNELS: Kind<FunnelsNode> = {
  name: "FunnelsQuery",
  title: "Funnel",
  icon: "filter",
  hint: "How many go through steps, and where they drop off",
  blank: ({ event }) => ({
    kind: "FunnelsQuery",
    series: [
      { kind: "EventsNode", event },
      { kind: "EventsNode", event },
    ],
    dateRange: { date_from: "-30d" },
    funnelsFilter: {},
  }),
  Chart: FunnelChart,
  table: funnelTable,
  isEmpty,
};
