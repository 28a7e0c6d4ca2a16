import type { Program } from "../../walk/mod.ts";
import type { BoundText } from "./session.ts";

/**
 * A walk that a statement reads as a table, with columns named c0, c1, … in the order of `Program`. Its text is one SELECT of
 * columns named `actor` (any type; rows without one are left out), `timestamp` TIMESTAMP, `steps` INTEGER, `excluded` INTEGER
 * where there are exclusions, `value` (any type) with a breakdown, and `uuid` where it tells the order at one time; in any order.
 */
export interface WalkStatement {
  table: string;
  text: string;
  params: BoundText["params"];
  program: Program;
  /** What journeys hold of its rows; null where the text reads all. */
  journeys: JourneyWalk | null;
}

/** The rows of a walk that journeys hold (`journeys/DESIGN.md`); its own text reads the other files alone. */
export interface JourneyWalk {
  files: { location: string; isStale: boolean }[];
  /** Other files have rows, too. */
  hasOthers: boolean;
  /** Numbers of persons are below it. */
  persons: number;
  /** Some persons have no number: `actor` is a struct of `number` and `id`. Else it is the number. */
  hasUnnumbered: boolean;
  /** The table of `moved` INTEGER, `number` INTEGER and `unnumbered` UUID for persons of stale files; null where none has moved. */
  moved: string | null;
  /** The table of `number` and `person_id`, where the walk's table has actors by their ids. */
  ids: string | null;
  marks: JourneyMarks;
  /** The rows of all files, where their uuids tell the order at one time; else null. */
  whole: BoundText | null;
}

/**
 * Which rows of journeys are read, and what they are. By `name`: a SELECT of `event`, `steps`, `excluded` and `value` from the table
 * `journey_names`, whose only column is `event`, and times in epoch ms, both ends included. By `place`: a SELECT of `place` (the
 * file's place in the list, shifted by 32 bits, and the row's place in the file), `steps`, `excluded` and `value` from these files.
 */
export type JourneyMarks = BoundText & ({ by: "name"; fromMs: number | null; toMs: number | null } | { by: "place" });
