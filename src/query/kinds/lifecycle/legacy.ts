import { commonMembers, intervalMember, part, renamed, same, seriesOf } from "../../insight/legacy.ts";
import type { Kind } from "../kind.ts";

const LIFECYCLE = {
  ...same("toggledLifecycles"),
  show_values_on_series: "showValuesOnSeries",
  show_legend: "showLegend",
};

/** How lifecycles were written before there were query nodes. They had one series, whose math meant nothing. */
export const LEGACY: Kind["legacy"] = {
  names: ["LIFECYCLE"],
  nodeOf: (filters) => ({
    kind: "LifecycleQuery",
    series: seriesOf(filters).map((series) => {
      return Object.fromEntries(Object.entries(series).filter(([name]) => !name.startsWith("math")));
    }),
    ...commonMembers(filters),
    ...intervalMember(filters),
    ...part("lifecycleFilter", renamed(filters, LIFECYCLE)),
  }),
};
