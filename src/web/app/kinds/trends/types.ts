import type { QueryAnswer } from "../../api/node.ts";
import type { FormulaNode } from "../../question/formula.ts";
import type { SeriesNode } from "../../question/types.ts";

export interface TrendsNode extends SeriesNode {
  kind: "TrendsQuery";
  trendsFilter?: TrendsFilter;
}

/** What a trend is shown as (docs/queries.md, "Formulas and displays"). Members that Weir does not know stay. */
export interface TrendsFilter {
  display?: string;
  formula?: string;
  formulas?: readonly string[];
  formulaNodes?: readonly FormulaNode[];
  smoothingIntervals?: number;
  /** Areas and bars as shares of their sum. */
  showPercentStackView?: boolean;
  /** How values are written: `numeric`, `duration`, `duration_ms`, `percentage`, `percentage_scaled`. */
  aggregationAxisFormat?: string;
  aggregationAxisPrefix?: string;
  aggregationAxisPostfix?: string;
  /** Items that are not drawn, by their place in the answer: the older way. */
  hiddenLegendIndexes?: readonly number[];
  /** What was chosen for an item, by its key. */
  resultCustomizations?: Readonly<Record<string, { hidden?: boolean; [member: string]: unknown }>>;
  [member: string]: unknown;
}

/** docs/queries.md, "Items of a trends answer". */
export interface TrendsItem {
  data: readonly number[];
  days: readonly string[];
  labels?: readonly string[];
  count: number;
  aggregated_value?: number;
  /** Of a calendar: numbers of weekdays (rows, 1 is Monday) and hours. */
  calendar_heatmap_data?: {
    data: readonly { row: number; column: number; value: number }[];
    rowAggregations: readonly { row: number; value: number }[];
  };
  label: string;
  /** Null for formulas. */
  action: { order: number; name: string | null; custom_name: string | null } | null;
  order: number;
  breakdown_value?: string | number | readonly (string | number)[];
  compare?: boolean;
  compare_label?: "current" | "previous";
}

/** The series of an answer. */
export const itemsOf = (answer: QueryAnswer): readonly TrendsItem[] =>
  Array.isArray(answer.results) ? (answer.results as TrendsItem[]) : [];
