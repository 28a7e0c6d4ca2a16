import type { Format } from "../../types.ts";

const CSV = /\.(csv|tsv)(\.(gz|gzip|zst|zstd))?$/i;
const PARQUET = /\.(parquet|pqt?)$/i;
const LINES = /\.(jsonl|ndjson|json|log|txt)(\.(gz|gzip|zst|zstd))?$|\.(gz|zst)$/i;

export const isCsv = (file: string): boolean => CSV.test(file);

/** How a file is read, by its name; null for what is none of these. */
export function formatOf(file: string): Format | null {
  if (CSV.test(file) || PARQUET.test(file)) return "table";
  return LINES.test(file) ? "lines" : null;
}
