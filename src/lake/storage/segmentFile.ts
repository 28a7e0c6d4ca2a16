import { join } from "node:path";
import { TerminalError } from "../../types/mod.ts";
import type { SegmentFacts, SegmentState } from "../catalog/mod.ts";

/** The rows; the duplicate keys of events; the daily rollup; the journey; the rows in order of person. */
export type SegmentPart = "rows" | "keys" | "rollup" | "journey" | "personRows";

/** One of the files of a segment. */
export interface SegmentFile {
  id: string;
  part: SegmentPart;
}

/** What a store lists of a file. */
export interface StoredFile {
  /** For people: where it lies in the store. It ends as `fileName` does; by that the search for what was deleted knows what it holds. */
  name: string;
  location: string;
  /** The segment that it belongs to by its name. */
  id: string;
  /** `unfinished`: a draft or a raw file; null: no segment has a file of this name. */
  part: SegmentPart | "unfinished" | null;
  /** Epoch milliseconds. */
  changedAtMs: number;
}

/** How the names of files end. Names are stored: never change them. */
const SUFFIXES: Record<SegmentPart, string> = {
  rows: "parquet",
  keys: "keys",
  rollup: "activity.parquet",
  journey: "journey",
  personRows: "persons.parquet",
};
const DRAFT = "tmp";
const RAW = "raw";
const PARTS = Object.keys(SUFFIXES) as SegmentPart[];
const PART_OF = new Map<string, SegmentPart | "unfinished">([
  ...PARTS.map((part) => [SUFFIXES[part], part] as const),
  ...PARTS.map((part) => [`${SUFFIXES[part]}.${DRAFT}`, "unfinished"] as const),
  [RAW, "unfinished"],
]);
const ID = /^[0-9a-z-]{1,64}$/;

/** Ids become file names and SQL text, so nothing else may. Throws TerminalError `invalid_segment_id`. */
function checkSegmentId(id: string): string {
  if (!ID.test(id)) throw new TerminalError("invalid_segment_id", `"${id}" is no segment id`);
  return id;
}

export function fileName({ id, part }: SegmentFile): string {
  return `${checkSegmentId(id)}.${SUFFIXES[part]}`;
}

/** The segment before the first dot of a name, and which of its files it is. */
export function parseFileName(name: string): Pick<StoredFile, "id" | "part"> {
  const [id = "", ...suffix] = name.split(".");
  return { id, part: (ID.test(id) && PART_OF.get(suffix.join("."))) || null };
}

/** Where a file is written until it is published. */
export function draftPath(workDirectory: string, file: SegmentFile): string {
  return join(workDirectory, `${fileName(file)}.${DRAFT}`);
}

/** The rows of a segment on their way into DuckDB. */
export function rawPath(workDirectory: string, id: string): string {
  return join(workDirectory, `${checkSegmentId(id)}.${RAW}`);
}

/** Determines which files a segment has. */
export type SegmentShape = Pick<SegmentFacts, "id" | "kind" | "rollupZone" | "hasJourney" | "hasPersonRows">;

/** The files of a segment, in the order of its checksum. */
export function filesOf({ id, kind, rollupZone, hasJourney, hasPersonRows }: SegmentShape): SegmentFile[] {
  const parts: SegmentPart[] = ["rows"];
  if (kind === "events") parts.push("keys");
  if (rollupZone !== null) parts.push("rollup");
  if (hasJourney) parts.push("journey");
  if (hasPersonRows) parts.push("personRows");
  return parts.map((part) => ({ id, part }));
}

/** Every file that a segment can have when it is published. */
export function allFilesOf(id: string): SegmentFile[] {
  return PARTS.map((part) => ({ id, part }));
}

/** Whether a listed file is one that its segment should have in this state. */
export function belongs(segment: SegmentShape & { state: SegmentState }, { part }: StoredFile): boolean {
  const isComplete = segment.state === "live" || segment.state === "replaced";
  return isComplete ? filesOf(segment).some((file) => file.part === part) : part !== null;
}
