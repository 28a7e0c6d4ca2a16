import type { JsonObject } from "../types/mod.ts";
import type { Fields } from "./fields.ts";

/** Where a row stands: the line of a text, else the number of the row, from 1. */
export interface Place {
  file: string;
  line: number;
}

/** An event as it goes to `/batch/`. Every member is a function of the source's rows. */
export interface ImportedEvent {
  uuid: string;
  event: string;
  distinct_id: string;
  /** ISO 8601 in UTC. */
  timestamp: string;
  properties: JsonObject;
}

/** An event that is made once for each key, at the earliest time at which a row asks for it. */
export interface First {
  /** Also what its uuid is made of. Equal keys have equal events. */
  key: string;
  atMs: number;
  event: Omit<ImportedEvent, "timestamp">;
  /** Where the event connects the two: a device of more users than allowed connects none of them. */
  link?: { device: string; user: string };
}

/** A person as `POST persons/` takes one. */
export interface ImportedPerson {
  distinct_ids: readonly string[];
  properties: JsonObject;
  /** ISO 8601 in UTC. */
  created_at: string | null;
  /** Absent where the source does not say so. */
  is_identified?: boolean;
}

/** What a row becomes. */
export type Mapped =
  | {
      event: ImportedEvent;
      firsts?: readonly First[];
      /** False: the row has an id of its own, so its copies are one event, even where the stage numbers copies. */
      isNumbered?: boolean;
    }
  /** No event of its own: it only tells of persons or groups. */
  | { firsts: readonly First[] }
  | { person: ImportedPerson }
  /** A rule leaves it out on purpose. */
  | { leftOut: string };

/** How files are read. `lines`: a JSON value a line. `table`: Parquet or CSV, a row is an object by column. */
export type Format = "lines" | "table";

/** Files of one meaning. A source may have several (profiles, events); they are read in this order. */
export interface Stage<O> {
  name: string;
  /** Of the files given: which are of this stage, and how they are read; null for none of it. */
  formatOf(file: string, options: O): Format | null;
  /** Throws RowRejected. */
  map(row: Fields, options: O): Mapped;
  /** Whether rows ask for firsts, so that all are looked at before the first is sent. */
  asksForFirsts: boolean | ((options: O) => boolean);
  /** Identical rows get ordinals: the event's uuid is of `(uuid, k)` for the k-th copy, k > 0. */
  numbersCopies?: boolean | ((options: O) => boolean);
}

/** A product that history comes from. CONTRIBUTING.md says how one is added. */
export interface Source<O = unknown> {
  name: string;
  /** Lines for `weir import NAME --help`. */
  usage: string;
  /** Its own options of the command line: `text` takes a value. */
  options: Record<string, "text" | "flag">;
  /** Reads them; `words` are the arguments that are no options (files, folders, `s3://…`). Throws UsageError. */
  read(given: Record<string, string | boolean | undefined>, words: readonly string[]): O | Promise<O>;
  /** Everything that decides about events beside the rows: another text makes another import. */
  mappingOf(options: O): string;
  /** Names what is imported, for the record and the check of its mapping: a path, a host with a project. */
  originOf(options: O): string;
  /** What is read, where it is at hand already. */
  inputs(options: O): readonly string[];
  /** Brings what an API tells into files of `to` before the inputs are read. */
  stage?(options: O, to: Staging): Promise<void>;
  /** Brings what is no row (insights, cohorts, settings, …) into the project, before the rows. Null: there is nothing of it. */
  objects?(options: O, into: ObjectsTarget): Promise<ObjectsReport | null>;
  stages: readonly Stage<O>[];
}

/** A project of PostHog or Weir, by its management API. */
export interface ProjectAddress {
  /** Without a slash at the end. */
  url: string;
  /** A personal API key. */
  key: string;
  project: string;
}

/** What became of an object. */
export type Outcome = "added" | "same" | "changed" | "overwritten" | "left_out";

/** What a user is to know of an object: that it differs, or why it was not taken. */
export interface Note {
  kind: string;
  /** There. */
  id: number | string | null;
  name: string;
  outcome: Outcome;
  reason: string;
}

export interface ObjectsReport {
  /** By kind, then by outcome. */
  counts: Record<string, Partial<Record<Outcome, number>>>;
  notes: Note[];
}

/** Where objects go. */
export interface ObjectsTarget {
  /** The Weir, with the key and the project of the import. */
  to: ProjectAddress;
  /** Where to remember which object became which; null for nowhere. */
  knownPath: string | null;
  signal: AbortSignal;
}

/** A folder in which each part of an API's answers is written once. */
export interface Staging {
  /**
   * Unless the part is there already: `write` gets a path to write to; what it wrote is synced, renamed to `name` and noted with size
   * and checksum. `name` ends in what its format is known by (`2024-01-31.jsonl`).
   */
  part(name: string, write: (path: string) => Promise<void>): Promise<void>;
  /** Where a part lies. */
  path(name: string): string;
  /** Tells progress: parts done and parts in all. */
  tell(done: number, all: number): void;
  /** Tells what is waited for; null: nothing any more. */
  waiting(reason: string | null): void;
  signal: AbortSignal;
}

export type RejectReason =
  | "bad_json"
  | "not_an_object"
  | "too_long"
  | "bad_encoding"
  | "unreadable"
  | "no_time"
  | "bad_time"
  | "no_event"
  | "no_id"
  | "bad_id"
  | "too_large"
  /** The Weir does not take the event. */
  | "refused";

/** A row that becomes no event, and why. */
export class RowRejected extends Error {
  constructor(
    readonly reason: RejectReason,
    message: string,
  ) {
    super(message);
  }
}
