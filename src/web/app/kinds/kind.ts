import type { ComponentType } from "preact";
import type { QueryAnswer, QueryNode } from "../api/query.ts";
import type { IconName } from "../ui/icon.tsx";

/** The people behind a number: what a click on it asks for. */
export interface Drill {
  /** Which people: "buy, 3 May", "Step 2, dropped off". */
  title: string;
  /** The number that was clicked; the list must have as many. Null: the number is no number of people. */
  count: number | null;
  /** The `source` of an ActorsQuery. */
  source: QueryNode;
}

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

/** The numbers of an answer as a table: what stands below the chart, and what CSV has. */
export interface AnswerTable {
  columns: readonly { label: string; isNumber: boolean }[];
  rows: readonly (readonly (string | number | null)[])[];
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
  /** Everything that can be asked, in one column or a row. */
  Form: ComponentType<FormProps<N>>;
  /** The choice of the form of the chart and what belongs to it, above the chart. */
  Options?: ComponentType<FormProps<N>>;
  Chart: ComponentType<ChartProps<N>>;
  /** What can be asked further about the answer, below the chart of a page. */
  Below?: ComponentType<BelowProps<N>>;
  table(node: N, answer: QueryAnswer): AnswerTable;
  /** Whether there is nothing to draw: no event met the question. */
  isEmpty(answer: QueryAnswer): boolean;
}
