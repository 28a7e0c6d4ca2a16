import type { ComponentProps } from "preact";
import { useChunk } from "../../../ui/chunk.ts";
import type { SqlChart } from "./sqlChart.tsx";

const load = () => import("./sqlChart.tsx").then((file) => file.SqlChart);

/** The chart of SQL where most pages have none: loaded when there is one. */
export function LazySqlChart(props: ComponentProps<typeof SqlChart>) {
  const Chart = useChunk(load);
  return Chart === undefined ? null : <Chart {...props} />;
}
