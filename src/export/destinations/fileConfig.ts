import { COMPRESSIONS, type FileForm } from "../../lake/mod.ts";
import { type ConfigReader, invalidConfig } from "../config.ts";
import type { Compression, FileFormat } from "../model.ts";

const MB = 1024 * 1024;
/** 1 TB. */
const LARGEST_MB = 1024 * 1024;

/** What destinations of files take of their settings, by PostHog's names. */
export interface FileConfig extends Record<string, unknown> {
  file_format: FileFormat;
  compression: Compression | null;
  max_file_size_mb: number | null;
}

const FORMATS = ["Parquet", "JSONLines"] as const;

/** What a kind of destination has of its own. */
interface FileLimits {
  format: FileFormat;
  leastMb: number;
  mostMb: number;
}

/** A size of 0 is none. */
const ON_DISK: FileLimits = { format: "Parquet", leastMb: 0, mostMb: LARGEST_MB };

/** Reads these members; include and exclude lists are the run's. Throws TerminalError `invalid_config`. */
export function readFileConfig(reader: ConfigReader, limits = ON_DISK): FileConfig {
  reader.skip("include_events", "exclude_events");
  const format = reader.oneOf("file_format", FORMATS, limits.format);
  const compression = reader.oneOf("compression", ["", ...COMPRESSIONS[format]], "");
  return {
    file_format: format,
    compression: compression === "" ? null : (compression as Compression),
    max_file_size_mb: reader.number("max_file_size_mb", limits.leastMb, limits.mostMb) || null,
  };
}

export function formOf({ file_format: format, compression, max_file_size_mb: size }: FileConfig): FileForm {
  return { format, compression, maxPartBytes: size === null ? null : size * MB };
}

/** A list of names of events, or null. Throws TerminalError `invalid_config`. */
export function namesIn(config: Readonly<Record<string, unknown>>, member: string): string[] | null {
  const list = config[member] ?? null;
  if (list === null) return null;
  if (Array.isArray(list) && list.every((name) => typeof name === "string")) return list;
  throw invalidConfig(member, "Must be a list of names of events.");
}
