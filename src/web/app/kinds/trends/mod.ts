import type { Kind } from "../kind.ts";
import { TrendsChart } from "./chart.tsx";
import { essenceOf } from "./essence.ts";
import { formulasOf } from "./formulas.ts";
import { linesOf, withShown } from "./lines.ts";
import { marksOf, tableOf } from "./table.ts";
import { itemsOf, type TrendsNode } from "./types.ts";

/** How often, how many, how much over time. */
export const TRENDS: Kind<TrendsNode> = {
  name: "TrendsQuery",
  title: "Trends",
  icon: "insights",
  hint: "How often something happens over time",
  blank: ({ event }) => ({
    kind: "TrendsQuery",
    series: [{ kind: "EventsNode", event, name: event ?? "All events", math: "total" }],
    dateRange: { date_from: "-7d" },
    interval: "day",
  }),
  Chart: TrendsChart,
  table: tableOf,
  // A formula may well be zero where there are events.
  isEmpty: (answer, node) => itemsOf(answer).every(formulasOf(node).length > 0 ? hasNothing : isNothing),
  essence: essenceOf,
  rows: marksOf,
  show: (node, answer, row, isShown) => withShown(node, linesOf(node, answer), row, isShown),
};

const isNothing = ({ data, count, aggregated_value: value }: ReturnType<typeof itemsOf>[number]): boolean =>
  count === 0 && (value ?? 0) === 0 && data.every((one) => one === 0);

const hasNothing = ({ data, aggregated_value: value }: ReturnType<typeof itemsOf>[number]): boolean =>
  data.length === 0 && value === undefined;
