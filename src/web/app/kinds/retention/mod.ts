import type { Kind } from "../kind.ts";
import { isEmpty } from "./answer.ts";
import { RetentionChart } from "./chart.tsx";
import type { RetentionNode } from "./node.ts";
import { retentionTable } from "./table.ts";

export const RETENTION: Kind<RetentionNode> = {
  name: "RetentionQuery",
  title: "Retention",
  icon: "table",
  hint: "How many come back, day by day or week by week",
  blank: ({ event }) => ({
    kind: "RetentionQuery",
    retentionFilter: {
      period: "Week",
      totalIntervals: 8,
      targetEntity: { id: event, type: "events" },
      returningEntity: { id: event, type: "events" },
    },
  }),
  Chart: RetentionChart,
  table: retentionTable,
  isEmpty,
};
