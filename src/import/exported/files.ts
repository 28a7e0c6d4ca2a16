import { createWriteStream } from "node:fs";
import { basename, dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { describeError } from "../../types/mod.ts";
import { FileUnreadable, type Input, inputsOf, Reader } from "../reading/mod.ts";
import { type Format, RowRejected, type Stage, type Staging } from "../types.ts";
import { groupPersons, mapGroupedPerson, type PlacedRow } from "./groupPersons.ts";

/** Of a batch export in Parquet the packing is named behind the format: it is inside of the file. */
const TABLE = /\.(parquet(\.[a-z0-9]+)?|(csv|tsv)(\.(gz|zst))?)$/i;
const LINES = /\.(jsonl|ndjson|json)(\.(gz|zst))?$/i;

/** How a file of a batch export is read; null for one that is no data. */
export function formatOf(file: string): Format | null {
  if (TABLE.test(file)) return "table";
  return LINES.test(file) ? "lines" : null;
}

export const isCsv = (file: string): boolean => /\.(csv|tsv)(\.(gz|zst))?$/i.test(file);

/** The part that persons are in once they were grouped. */
const GROUPED = "grouped-persons.jsonl";
export const isGroupedPersons = (file: string): boolean => basename(file) === GROUPED;

/** Persons are made before the events are sent. */
export const PERSONS: Stage<unknown> = {
  name: "persons",
  formatOf: (file) => (isGroupedPersons(file) ? "lines" : null),
  map: mapGroupedPerson,
  asksForFirsts: false,
};

/** Makes one part of files of the persons model, which `mapGroupedPerson` reads. `words`: files, folders, `s3://…`. */
export function stagePersons(words: readonly string[], to: Staging): Promise<void> {
  return to.part(GROUPED, async (path) => {
    const scratch = join(dirname(path), ".persons");
    const inputs = await inputsOf(words, { env: process.env });
    const out = createWriteStream(path);
    const ended = finished(out);
    ended.catch(() => {});
    const write = async (line: string): Promise<void> => {
      if (!out.write(`${line}\n`)) await Promise.race([new Promise((resolve) => out.once("drain", resolve)), ended]);
    };
    try {
      await groupPersons(rowsOf(inputs, { scratch: join(scratch, "reading"), signal: to.signal }), scratch, write);
    } finally {
      out.end();
      await ended;
    }
  });
}

/** All rows; where a file is damaged, one in place of its rest that says so. */
async function* rowsOf(
  inputs: readonly Input[],
  options: { scratch: string; signal: AbortSignal },
): AsyncGenerator<PlacedRow> {
  for (const input of inputs) {
    const format = formatOf(input.name);
    if (format === null) continue;
    const file = input.name;
    let line = 0;
    try {
      for await (const rows of new Reader(input, { ...options, format }).rows()) {
        for (const row of rows) {
          line = row.line;
          yield { value: () => row.value(), place: { file, line } };
        }
      }
    } catch (error) {
      if (!(error instanceof FileUnreadable)) throw error;
      const value = () => {
        throw new RowRejected("unreadable", describeError(error));
      };
      yield { value, place: { file, line: line + 1 } };
    }
  }
}
