import type { Kind } from "../kind.ts";
import { edgesOf } from "./answer.ts";
import { PathsChart } from "./chart.tsx";
import type { PathsNode } from "./node.ts";
import { pathsTable } from "./table.ts";

export const PATHS: Kind<PathsNode> = {
  name: "PathsQuery",
  title: "Paths",
  icon: "share",
  hint: "What people do one thing after another",
  blank: () => ({
    kind: "PathsQuery",
    dateRange: { date_from: "-30d" },
    pathsFilter: { includeEventTypes: ["$pageview"] },
  }),
  Chart: PathsChart,
  table: pathsTable,
  isEmpty: (answer) => edgesOf(answer).length === 0,
};
