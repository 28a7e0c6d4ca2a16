/** One line, area or row of bars. */
export interface Series {
  /** Tells it from the others of the chart. */
  key: string;
  label: string;
  /** A value for each place of the axis; null: there is none. */
  values: readonly (number | null)[];
  /** 0 is the first colour. */
  color: number;
  /** Of a period that another is compared with: drawn pale. */
  isPrevious?: boolean;
  /** Each place in full where it is another than that of the axis, such as of a period before. */
  titles?: readonly string[];
  /** How many of the last values are of a time that is not over: drawn dashed. */
  incomplete?: number;
}

/** Writes a value for people. */
export type Format = (value: number) => string;

/** A value of a series that was clicked. */
export interface Point {
  series: number;
  index: number;
}

/** One of several values beside each other, such as of a breakdown. */
export interface Part {
  key: string;
  label: string;
  value: number;
  color: number;
  /** The same in the period before. */
  previous?: number | null;
}

/** The size of a chart. */
export interface BoxSize {
  /** CSS pixels, whole. */
  width: number;
  height: number;
}
