import { MAX_BRACKETS } from "./node.ts";

/** Sizes of columns that a text tells, such as "1, 3, 7". What is no number, or no size, is left out. */
export const bracketsOf = (text: string): number[] =>
  text
    .split(/[\s,;]+/)
    .map(Number)
    .filter((size) => Number.isInteger(size) && size >= 1 && size <= 1000)
    .slice(0, MAX_BRACKETS);
