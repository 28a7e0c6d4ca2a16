import { isObject } from "../../api/node.ts";
import type { Import } from "../../api/schema.ts";

export type { Import } from "../../api/schema.ts";

/** What each state is called. */
export const STATE_WORDS: Record<Import["state"], string> = {
  created: "Beginning",
  staging: "Fetching",
  surveying: "Looking at all rows",
  sending: "Sending",
  settling: "Waiting until all is stored",
  checking: "Checking",
  stopping: "Pausing",
  paused: "Paused",
  failed: "Stands still",
  undoing: "Undoing",
  undone: "Undone",
  completed: "Done",
};

const RUNS: ReadonlySet<Import["state"]> = new Set([
  "created",
  "staging",
  "surveying",
  "sending",
  "settling",
  "checking",
  "stopping",
]);

/** Whether an importer is at work, as far as it has said. */
export const runs = ({ state }: Import): boolean => RUNS.has(state);

/** Whether `weir import resume` is the way on. */
export const canResume = (one: Import, nowMs: number): boolean =>
  one.state === "paused" || one.state === "failed" || silentMs(one, nowMs) !== null;

const SILENT_FROM_MS = 60_000;

/** For how long nothing was heard of an importer that should be at work; null: it was heard lately. */
export function silentMs(one: Import, nowMs: number): number | null {
  const ms = nowMs - Date.parse(one.updated_at);
  return runs(one) && ms >= SILENT_FROM_MS ? ms : null;
}

/** The first rejects of a reason. */
export interface Rejects {
  reason: string;
  rows: number;
  examples: readonly { place: string; message: string; raw: string }[];
}

/** What an import has said of its rows. What it has not said, or in another form, is 0 or absent. */
export interface Figures {
  rows: number;
  stored: number;
  duplicates: number;
  rejected: number;
  leftOut: number;
  persons: number;
  /** Events that were made beside those of the rows. */
  made: number;
  missing: number;
  /** Of the step that it is at, from 0 to 1; null: nobody knows. */
  share: number | null;
  /** Of an import that has ended: whether each row is accounted for. */
  isWhole: boolean | null;
  rejects: readonly Rejects[];
  /** Reasons with numbers of rows, the largest first. */
  leftOutBy: readonly (readonly [string, number])[];
}

/** `counts` are what the importer sent: any JSON. */
export function figuresOf({ counts, state }: Pick<Import, "counts" | "state">): Figures {
  const made = counts.made;
  const share = counts.share;
  return {
    rows: numberIn(counts.rows),
    stored: numberIn(counts.stored),
    duplicates: numberIn(counts.duplicates),
    rejected: numberIn(counts.rejected),
    leftOut: numberIn(counts.leftOut),
    persons: numberIn(counts.persons),
    made: numberIn(isObject(made) ? made.sent : made),
    missing: numberIn(counts.missing) + numberIn(isObject(made) ? made.missing : 0),
    share:
      typeof share === "number" && (state === "surveying" || state === "sending" || state === "checking")
        ? share
        : null,
    isWhole: typeof counts.isWhole === "boolean" ? counts.isWhole : null,
    rejects: byRows(counts.rejectedBy).map(([reason, rows]) => ({
      reason,
      rows,
      examples: examplesOf(counts, reason),
    })),
    leftOutBy: byRows(counts.leftOutBy),
  };
}

function byRows(value: unknown): [string, number][] {
  if (!isObject(value)) return [];
  const entries = Object.entries(value).map(([name, rows]): [string, number] => [name, numberIn(rows)]);
  return entries.sort((a, b) => b[1] - a[1]);
}

function examplesOf({ rejectExamples }: Import["counts"], reason: string): Rejects["examples"] {
  const some = isObject(rejectExamples) && Object.hasOwn(rejectExamples, reason) ? rejectExamples[reason] : [];
  if (!Array.isArray(some)) return [];
  return some
    .filter(isObject)
    .map(({ place, message, raw }) => ({ place: `${place}`, message: `${message}`, raw: `${raw}` }));
}

const numberIn = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** What reasons of rejects mean; others are told as they are. */
export const REASONS: Readonly<Record<string, string>> = {
  bad_json: "The line is no JSON",
  not_an_object: "The line is no object",
  unreadable: "The row cannot be read",
  bad_encoding: "The text is no UTF-8",
  too_long: "The row is longer than 20 MB",
  too_large: "The event is larger than 1 MB",
  no_time: "There is no time",
  bad_time: "The time cannot be read, or lies in the future",
  no_event: "The event has no name",
  no_id: "There is no distinct_id",
  bad_id: "The id is none",
  refused: "Weir does not take the event",
};
