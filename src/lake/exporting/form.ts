import { TerminalError } from "../../types/mod.ts";

/** How the files of an export are written. */
export interface FileForm {
  format: "Parquet" | "JSONLines";
  /** Null: as the format has it without one. */
  compression: "zstd" | "lz4" | "snappy" | "gzip" | "brotli" | null;
  /** A file is begun anew before it is larger; a single row may be. Null: one file. */
  maxPartBytes: number | null;
}

/** What each format can be packed with. */
export const COMPRESSIONS: Readonly<Record<FileForm["format"], readonly string[]>> = {
  Parquet: ["zstd", "lz4", "snappy", "gzip", "brotli"],
  JSONLines: ["gzip", "brotli"],
};

/** Throws TerminalError `invalid_config`. */
export function checkForm({ format, compression }: FileForm): void {
  const known = COMPRESSIONS[format];
  if (compression === null || known.includes(compression)) return;
  const problem = `Compression ${compression} is not supported for file format ${format}. Supported compressions are ${known.join(", ")}.`;
  throw new TerminalError("invalid_config", problem);
}

const PACKED: Readonly<Record<string, string>> = { gzip: "gz", brotli: "br" };

/** The end of a file's name, with its dot. Parquet is packed inside, so that its name says nothing of it. */
export function fileEnd({ format, compression }: Pick<FileForm, "format" | "compression">): string {
  if (format === "Parquet") return ".parquet";
  return compression === null ? ".jsonl" : `.jsonl.${PACKED[compression]}`;
}
