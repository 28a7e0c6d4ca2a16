import type { ComponentType } from "preact";
import type { QueryAnswer, QueryNode } from "../api/node.ts";
import type { IconName } from "../ui/icon.tsx";
import type { Drill } from "./drill.ts";
import type { AnswerTable, RowMark } from "./table.ts";

export type { AnswerTable, Drill, RowMark };

/** Where a chart stands: alone on a page, or in a tile. */
export type Size = "page" | "tile";

export interface FormProps<N extends QueryNode = QueryNode> {
  projectId: number;
  node: N;
  onChange(node: N): void;
}

export interface ChartProps<N extends QueryNode = QueryNode> {
  node: N;
  answer: QueryAnswer;
  size: Size;
  /** Absent where nobody may ask further, as on shared pages. */
  onDrill?(drill: Drill): void;
}

export interface BelowProps<N extends QueryNode = QueryNode> {
  projectId: number;
  node: N;
  answer: QueryAnswer;
  onDrill?(drill: Drill): void;
}

/** An insight kind, as the pages know it. */
export interface Kind<N extends QueryNode = QueryNode> {
  /** The `kind` of its nodes. */
  name: N["kind"];
  title: string;
  icon: IconName;
  /** In a few words, for the choice of a new insight. */
  hint: string;
  /** What a new question begins with. `event`: the project's most frequent one; null where there is none yet. */
  blank(o: { event: string | null }): N;
  Chart: ComponentType<ChartProps<N>>;
  table(node: N, answer: QueryAnswer): AnswerTable;
  /** Whether there is nothing to draw: no event met the question. */
  isEmpty(answer: QueryAnswer, node: N): boolean;
  /** What of a node its answer depends on; all of it where absent. What else changes only changes the chart. */
  essence?(node: N): unknown;
  /** What a row of the table is in the chart, where a row is a line of it. */
  rows?(node: N, answer: QueryAnswer): readonly RowMark[];
  /** The node whose chart shows the row, or not. */
  show?(node: N, answer: QueryAnswer, row: number, isShown: boolean): N;
}

/** What a kind has beside its chart, where a question can be changed. */
export interface KindForms<N extends QueryNode = QueryNode> {
  /** Everything that can be asked, in one column or a row. */
  Form: ComponentType<FormProps<N>>;
  /** The choice of the form of the chart and what belongs to it, above the chart. */
  Options?: ComponentType<FormProps<N>>;
  /** What can be asked further about the answer, below the chart of a page. */
  Below?: ComponentType<BelowProps<N>>;
}
