import { createHash } from "node:crypto";
import type { Compression, FileFormat, RunRange } from "./model.ts";

const FORMAT_ENDING: Record<FileFormat, string> = { Parquet: "parquet", JSONLines: "jsonl" };
const COMPRESSION_ENDING: Record<Compression, string> = {
  zstd: "zst",
  lz4: "lz4",
  snappy: "sz",
  gzip: "gz",
  brotli: "br",
};

/** Where a run's objects lie: a function of the export and its interval, so a run that is done again writes the same names. */
export interface Names {
  part(number: number): string;
  manifest: string;
}

/** A piece of an export's id, so that the names of two exports do not meet. */
export const ownPiece = (exportId: string): string => createHash("sha256").update(exportId).digest("hex").slice(0, 8);

/**
 * `prefix` may have `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}`, `{second}` (of the interval's end, UTC), `{data_interval_start}`,
 * `{data_interval_end}` and `{table}`, as in PostHog. Two exports with one prefix do not meet: the names end in a piece of the export's id.
 */
export function namesOf(
  range: RunRange,
  prefix: string,
  { format, compression }: { format: FileFormat; compression: Compression | null },
): Names {
  const folder = filled(prefix, range);
  const base = `${folder}${folder === "" || folder.endsWith("/") ? "" : "/"}${startOf(range)}-${isoOf(range.toMs)}-${ownPiece(range.exportId)}`;
  const ending = [FORMAT_ENDING[format], ...(compression === null ? [] : [COMPRESSION_ENDING[compression]])].join(".");
  return { part: (number) => `${base}-${number}.${ending}`, manifest: `${base}_manifest.json` };
}

const startOf = ({ fromMs }: RunRange): string => (fromMs === null ? "START" : isoOf(fromMs));

/** As Python writes it, which PostHog's names have: no milliseconds where there are none. */
const isoOf = (ms: number): string => new Date(ms).toISOString().replace(/(\.000)?Z$/, "+00:00");

function filled(prefix: string, range: RunRange): string {
  const [year = "", month = "", day = "", hour = "", minute = "", second = ""] = new Date(range.toMs)
    .toISOString()
    .split(/[-T:.]/);
  const values: Record<string, string> = {
    ...{ year, month, day, hour, minute, second },
    table: range.model,
    data_interval_start: startOf(range),
    data_interval_end: isoOf(range.toMs),
  };
  return prefix.replace(/\{(\w+)\}/g, (text, name: string) => values[name] ?? text).replace(/^\/+/, "");
}
