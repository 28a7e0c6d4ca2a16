import { later } from "../../../ui/later.tsx";

/** The chart of SQL where most pages have none: loaded when there is one. */
export const LazySqlChart = later(() => import("./sqlChart.tsx").then((file) => file.SqlChart));
