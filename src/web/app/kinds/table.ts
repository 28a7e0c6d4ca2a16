/** The numbers of an answer as a table: what stands below the chart, and what CSV has. */
export interface AnswerTable {
  columns: readonly { label: string; isNumber: boolean }[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** The line of a chart that a row of its table is. */
export interface RowMark {
  /** 0 is the first colour. */
  color: number;
  isShown: boolean;
}
