import { resolve } from "node:path";
import type { Format } from "../types.ts";

const LINES = /\.(?:jsonl?|ndjson|log|txt)(?:\.(?:gz|zst))?$/i;
const TABLE = /\.(?:parquet|csv|tsv)(?:\.(?:gz|zst))?$/i;

/** How a file is read, by its name; null for one that is no data. */
export function formatByName(file: string): Format | null {
  const name = nameOf(file);
  if (name.startsWith(".") || name.startsWith("_")) return null;
  if (TABLE.test(name)) return "table";
  return LINES.test(name) ? "lines" : null;
}

/** The last part of a path. */
export function nameOf(file: string): string {
  return file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
}

/** Names what files and folders an import reads: the same from whatever folder it is started. */
export function originOfFiles(files: readonly string[]): string {
  return files.map((file) => (file.startsWith("s3://") ? file : resolve(file))).join(" ");
}
