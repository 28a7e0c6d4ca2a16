import type { Program } from "../../walk/mod.ts";
import type { SqlValue } from "../engine/mod.ts";
import type { BoundText } from "./boundText.ts";

/**
 * A walk that a statement reads as a table, with columns named c0, c1, … in the order of `Program`. Its text is one SELECT of
 * columns named `actor` (any type; rows without one are left out), `timestamp` TIMESTAMP, `steps` INTEGER, `excluded` INTEGER
 * where there are exclusions, `value` (any type) with a breakdown, and `uuid` where it tells the order at one time; in any order.
 */
export interface WalkStatement {
  table: string;
  text: string;
  params: SqlValue[];
  program: Program;
  /** What journeys hold of its rows; null where the text reads all. */
  journeys: JourneyWalk | null;
}

/** What a row is to a walk by the name of its event; null where it is not read. */
type NameMark = { steps: number; excluded: number } | null;

/** What rows are to a walk by the names of their events: all names but some are alike. Both have marks for personless events, and for others. */
export interface NameMarks {
  named: { name: string; isPersonless: boolean; mark: NameMark }[];
  others: { isPersonless: boolean; mark: NameMark }[];
}

/** Which rows are read, and their values, told by the values of a property. */
export interface KeyedPlaces {
  key: string;
  /** A SELECT of `place`, and the property as text as `value`, of all rows of the files. */
  rows: BoundText;
  /**
   * A SELECT of `code`, and `value` where places tell it, from the table `journey_values` of `code`, `k0` (text) and `n0` (the number in it): rows
   * with other texts are not read.
   */
  told: BoundText;
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
  /** No row at another time is read: epoch ms, both ends included. */
  fromMs: number | null;
  toMs: number | null;
  /**
   * A SELECT of `event`, `personless`, `steps`, `excluded` and `value` from the table `journey_names` of `event` and `person_mode`:
   * other rows are not read. Or what it would give, where that is known without DuckDB. Null where `places` tells steps and exclusions.
   */
  names: BoundText | NameMarks | null;
  /** Names tell values, where there are any, not places. */
  isValueNamed: boolean;
  /**
   * A SELECT of the files' rows that are read: `place` UBIGINT (the file's place in the list, shifted by 32 bits, and the row's
   * place in the file), and what names do not tell of `steps`, `excluded` and `value`. Null where names and times tell all of it.
   */
  places: BoundText | null;
  /** How `places` follows from one property, whose values can be known from an earlier walk; null where it reads more. */
  keyed: KeyedPlaces | null;
  /** A SELECT of `actor` (as in the rows) and `at_ms`: when each was made; null where the walk does not ask. */
  made: BoundText | null;
  /** The rows of all files, where their uuids tell the order at one time; else null. */
  whole: BoundText | null;
}
