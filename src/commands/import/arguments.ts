import type { Source } from "../../import/mod.ts";
import { DAY_MS, UsageError } from "../../types/mod.ts";
import { readArguments, wholeNumber } from "../kit/command.ts";

const MAX_REJECTS = 0.001;

/** Options of all imports. */
const COMMON = {
  project: "text",
  url: "text",
  key: "text",
  from: "text",
  to: "text",
  "dry-run": "flag",
  sample: "text",
  "max-rejects": "text",
  identical: "text",
  "device-users": "text",
  "as-new": "flag",
  "s3-endpoint": "text",
  state: "text",
  json: "flag",
} as const;

const { project, url, key, state, json } = COMMON;
/** Options of `list`; of `status`, `report` and `undo`; of `resume`; of `inspect`. */
export const OF_LIST = { project, url, key, json };
export const OF_ONE = { ...OF_LIST, state };
export const OF_RESUME = { url, key, state, json };
export const OF_INSPECT = { "s3-endpoint": COMMON["s3-endpoint"] };

export type Given = Record<string, string | boolean | undefined>;

/** A command line about one source. */
export interface ImportArguments {
  given: Given;
  words: string[];
  project: number | null;
  between: { fromMs: number | null; toMs: number | null };
  isDryRun: boolean;
  sample: number | undefined;
  /** Share of the rows, from 0 to 1. */
  maxRejects: number;
  mergesIdentical: boolean;
  deviceUsers: number;
  isAsNew: boolean;
  asJson: boolean;
}

/** Throws UsageError. */
export function readImportArguments(argv: readonly string[], source: Source<unknown>): ImportArguments {
  const { options, words } = readArguments(argv, { ...source.options, ...COMMON }, Number.POSITIVE_INFINITY);
  const given: Given = options;
  const read = { given, words, ...readCommon(given, source, words) };
  const forDryRun = (["sample", "max-rejects"] as const).find((name) => given[name] !== undefined);
  if (forDryRun !== undefined && !read.isDryRun) throw new UsageError(`--${forDryRun} is for --dry-run.`);
  refuseEndpoint(given, words);
  return read;
}

/** Throws UsageError for an address of a server where no bucket is named, by an argument or by an option. */
export function refuseEndpoint(given: Given, words: readonly string[]): void {
  const isOfBucket = [...words, ...Object.values(given)].some((text) => String(text).includes("s3://"));
  if (given["s3-endpoint"] !== undefined && !isOfBucket) {
    throw new UsageError("--s3-endpoint is for s3://BUCKET/PREFIX, not for files.");
  }
}

/** The same of options that were read before. */
export function readCommon(
  given: Given,
  source: Source<unknown>,
  words: readonly string[],
): Omit<ImportArguments, "given" | "words"> {
  const text = (name: string) => given[name] as string | undefined;
  const project = text("project");
  const sample = text("sample");
  const users = text("device-users");
  // A source that asks an API takes the days for itself: they are not always those of the events.
  const isOwn = "from" in source.options && words.length === 0;
  const identical = text("identical");
  if (identical !== undefined && identical !== "merge") throw new UsageError("--identical can be: merge.");
  return {
    project: project === undefined ? null : wholeNumber("--project", project),
    between: isOwn ? { fromMs: null, toMs: null } : daysBetween(text("from"), text("to")),
    isDryRun: given["dry-run"] === true,
    sample: sample === undefined ? undefined : wholeNumber("--sample", sample),
    maxRejects: shareOf(text("max-rejects")),
    mergesIdentical: identical === "merge",
    deviceUsers: users === undefined ? 1 : wholeNumber("--device-users", users),
    isAsNew: given["as-new"] === true,
    asJson: given.json === true,
  };
}

function daysBetween(from: string | undefined, to: string | undefined): ImportArguments["between"] {
  const [fromMs, toMs] = [dayMs("--from", from), dayMs("--to", to, DAY_MS)];
  if (fromMs !== null && toMs !== null && fromMs >= toMs) throw new UsageError("--from is after --to.");
  return { fromMs, toMs };
}

function dayMs(name: string, text: string | undefined, more = 0): number | null {
  if (text === undefined) return null;
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new UsageError(`${name} must be a day such as 2024-01-31, not "${text}".`);
  return ms + more;
}

function shareOf(text: string | undefined): number {
  if (text === undefined) return MAX_REJECTS;
  const share = text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new UsageError(`--max-rejects must be a share from 0 to 1, not "${text}".`);
}
