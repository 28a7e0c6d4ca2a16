import type { JsonObject } from "../../../types/mod.ts";
import { commonMembers, compareMember, intervalMember, part, renamed, same, seriesOf } from "../../insight/legacy.ts";
import type { Kind } from "../kind.ts";

const STICKINESS = {
  ...same("display"),
  show_legend: "showLegend",
  show_values_on_series: "showValuesOnSeries",
};

/** Maths that a series keeps; with all others it counted persons. */
const MATHS: ReadonlySet<unknown> = new Set(["dau", "weekly_active", "monthly_active", "unique_group", "hogql"]);

/** How stickiness was written before there were query nodes. */
export const LEGACY: Kind["legacy"] = {
  names: ["STICKINESS"],
  nodeOf: (filters: JsonObject) => ({
    kind: "StickinessQuery",
    series: seriesOf(filters).map((series) => (MATHS.has(series.math) ? series : { ...series, math: "dau" })),
    ...commonMembers(filters),
    ...intervalMember(filters),
    ...part("stickinessFilter", renamed(filters, STICKINESS)),
    ...compareMember(filters),
  }),
};
