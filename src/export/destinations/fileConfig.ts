import { COMPRESSIONS, checkForm, type FileForm } from "../../lake/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import type { Compression, FileFormat } from "../model.ts";

const MB = 1024 * 1024;

/** What destinations of files take of their settings, by PostHog's names. */
export interface FileConfig extends Record<string, unknown> {
  file_format: FileFormat;
  compression: Compression | null;
  max_file_size_mb: number | null;
  include_events: string[] | null;
  exclude_events: string[] | null;
}

const FORMATS = Object.keys(COMPRESSIONS) as FileFormat[];

/** For a member that is missing or wrong. */
export const invalidConfig = (problem: string): TerminalError => new TerminalError("invalid_config", problem);

/** Reads these members; the other ones are left to the caller. Throws TerminalError `invalid_config`. */
export function readFileConfig(config: Record<string, unknown>, otherwise: FileFormat): FileConfig {
  const format = (config.file_format ?? otherwise) as FileFormat;
  if (!FORMATS.includes(format)) {
    throw invalidConfig(
      `File format ${String(format)} is not supported. Supported file formats are ${FORMATS.join(", ")}.`,
    );
  }
  const compression = (config.compression ?? null) as Compression | null;
  checkForm({ format, compression, maxPartBytes: null });
  const size = config.max_file_size_mb ?? null;
  if (size !== null && (typeof size !== "number" || !Number.isInteger(size) || size < 0)) {
    throw invalidConfig("max_file_size_mb must be a whole number of at least 1.");
  }
  return {
    file_format: format,
    compression,
    max_file_size_mb: size === 0 ? null : (size as number | null),
    include_events: names(config, "include_events"),
    exclude_events: names(config, "exclude_events"),
  };
}

/** A list of texts, or null. */
export function names(config: Record<string, unknown>, member: string): string[] | null {
  const list = config[member] ?? null;
  if (list === null) return null;
  if (Array.isArray(list) && list.every((name) => typeof name === "string")) return list;
  throw invalidConfig(`${member} must be a list of event names.`);
}

export function formOf(config: Pick<FileConfig, "file_format" | "compression" | "max_file_size_mb">): FileForm {
  const { file_format: format, compression, max_file_size_mb: size } = config;
  return { format, compression, maxPartBytes: size === null ? null : size * MB };
}

/** Throws TerminalError `invalid_config` for members that the destination does not have. */
export function refuseOthers(config: Record<string, unknown>, known: readonly string[]): void {
  const others = Object.keys(config).filter((name) => !known.includes(name));
  if (others.length === 0) return;
  throw invalidConfig(
    `Configuration has unknown field/s: ${others
      .map((name) => `'${name}'`)
      .sort()
      .join(", ")}`,
  );
}

export const FILE_MEMBERS = ["file_format", "compression", "max_file_size_mb", "include_events", "exclude_events"];
