import type { JsonObject } from "../../../types/mod.ts";
import {
  breakdownMember,
  commonMembers,
  compareMember,
  intervalMember,
  part,
  renamed,
  same,
  seriesOf,
} from "../../insight/legacy.ts";
import type { Kind } from "../kind.ts";

const TRENDS = {
  ...same("display", "formula"),
  smoothing_intervals: "smoothingIntervals",
  show_legend: "showLegend",
  aggregation_axis_format: "aggregationAxisFormat",
  aggregation_axis_prefix: "aggregationAxisPrefix",
  aggregation_axis_postfix: "aggregationAxisPostfix",
  decimal_places: "decimalPlaces",
  show_values_on_series: "showValuesOnSeries",
  show_percent_stack_view: "showPercentStackView",
  y_axis_scale_type: "yAxisScaleType",
};

/** How trends were written before there were query nodes. SESSIONS have become trends. */
export const LEGACY: Kind["legacy"] = {
  names: [null, "TRENDS", "SESSIONS"],
  nodeOf: (filters: JsonObject) => ({
    kind: "TrendsQuery",
    series: seriesOf(filters),
    ...commonMembers(filters),
    ...intervalMember(filters),
    ...part("trendsFilter", renamed(filters, TRENDS)),
    ...compareMember(filters),
    ...breakdownMember(filters),
  }),
};
