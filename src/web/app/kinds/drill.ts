import type { QueryNode } from "../api/node.ts";

/** A question that goes on from a number. */
export interface Further {
  label: string;
  node: QueryNode;
}

/** The people behind a number: what a click on it asks for. */
export interface Drill {
  /** Which people: "buy, 3 May", "Step 2, dropped off". */
  title: string;
  /** The number that was clicked; the list must have as many. Null: the number is no number of people. */
  count: number | null;
  /** The `source` of an ActorsQuery. */
  source: QueryNode;
  /** Where the number counts events: how many there must be behind the people. */
  events?: number | null;
  /** Where several lists belong to a number, such as the letters of a formula. `source` is that of the first. */
  choices?: readonly { label: string; source: QueryNode }[];
  /** The paths of these people. */
  paths?: readonly Further[];
}
