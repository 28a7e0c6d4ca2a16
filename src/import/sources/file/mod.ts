import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { describeError, type JsonObject, UsageError } from "../../../types/mod.ts";
import type { Source } from "../../types.ts";
import { canonicalJson } from "./canonical.ts";
import { mapRow } from "./event.ts";
import { formatOf, isCsv } from "./formats.ts";
import { DEFAULT_MAPPING, type Mapping, mappingIn, readMapping } from "./mapping.ts";

export interface FileOptions {
  words: readonly string[];
  mapping: Mapping;
  /** Whether rows may lack an id, so that identical ones are told apart. */
  numbersCopies: boolean;
  mappingText: string;
}

/** Tables that hold totals by day. */
const PLAUSIBLE =
  /^imported_(visitors|pages|entry_pages|exit_pages|sources|locations|devices|browsers|operating_systems|custom_events)(?![a-z])/;

function refusePlausible(words: readonly string[]): void {
  const found = words.find((word) => PLAUSIBLE.test(basename(word)));
  if (found === undefined) return;
  throw new UsageError(
    `${basename(found)} is an export of Plausible: it has totals by day and no events, so there is nothing to import.`,
  );
}

/** CSV, JSON lines and Parquet, with a mapping. */
export const file: Source<FileOptions> = {
  name: "file",
  usage: `weir import file FILE… [--map FILE]
  CSV (also with ; or tabs), JSON lines, lists of JSON objects, Parquet; packed with gzip or zstd, or in a zip.

  --map FILE  what the columns mean: \`weir import inspect FILE\` proposes one, docs/import.md describes it. When absent the rows
              are events as clients send them: event, distinct_id, timestamp, properties, $set, $set_once, uuid`,
  options: { map: "text" },
  read({ map }, words) {
    if (words.length === 0) throw new UsageError("Name a file, a folder or an s3:// address.");
    refusePlausible(words);
    const text = typeof map === "string" ? mappingText(map) : canonicalJson(DEFAULT_MAPPING);
    const mapping = typeof map === "string" ? readMapping(text, map) : mappingIn(DEFAULT_MAPPING);
    const numbersCopies = mapping.uuid === null || typeof map !== "string";
    return { words, mapping, numbersCopies, mappingText: canonicalJson(JSON.parse(text) as JsonObject) };
  },
  mappingOf: ({ mappingText }) => mappingText,
  originOf: ({ words }) => words.map((word) => (word.startsWith("s3://") ? word : resolve(word))).join(" "),
  inputs: ({ words }) => words,
  stages: [
    {
      name: "csv",
      formatOf: (name) => (isCsv(name) && !PLAUSIBLE.test(basename(name)) ? "table" : null),
      map: (row, { mapping }) => mapRow(row, mapping, true),
      asksForFirsts: ({ mapping }) => mapping.link !== null,
      numbersCopies: ({ numbersCopies }) => numbersCopies,
    },
    {
      name: "rows",
      formatOf: (name) => (isCsv(name) ? null : formatOf(basename(name))),
      map: (row, { mapping }) => mapRow(row, mapping, false),
      asksForFirsts: ({ mapping }) => mapping.link !== null,
      numbersCopies: ({ numbersCopies }) => numbersCopies,
    },
  ],
};

function mappingText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--map: ${describeError(error)}`);
  }
}
