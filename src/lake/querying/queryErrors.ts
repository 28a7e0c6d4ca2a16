import { describeError } from "../../types/mod.ts";
import { FileUnreadable } from "../walking/mod.ts";
import { MEMORY_MESSAGE } from "./memory.ts";
import type { QueryErrorCode } from "./messages.ts";
import { ResultTooLarge } from "./resultJson.ts";

export interface Failure {
  code: QueryErrorCode;
  /** For the user: no SQL, no paths. */
  message: string;
  /** For the log, where it is not the user's fault: DuckDB's message, with the file if it names one. */
  detail?: string;
}

const UNREADABLE = "a file of the snapshot cannot be read";

/** DuckDB's kinds of errors that a statement itself causes. All others are failures of the service. */
const OF_THE_STATEMENT = new Set([
  "Binder",
  "Catalog",
  "Constraint",
  "Conversion",
  "Decimal",
  "Dependency",
  "Divide by Zero",
  "Expression",
  "Invalid Configuration",
  "Invalid Input",
  "Invalid type",
  "Mismatch Type",
  "Missing Extension",
  "Not implemented",
  "Object Size",
  "Out of Range",
  "Parameter Not Allowed",
  "Parameter Not Resolved",
  // A file that is not of the project, a change.
  "Permission",
  "Parser",
  "Sequence",
  "Settings",
  "Syntax",
  "Unknown Type",
]);

/** The meaning of an error of a statement that reads `files`. */
export function classify(error: unknown, files: readonly string[]): Failure {
  const text = describeError(error);
  if (error instanceof ResultTooLarge) {
    return { code: "result_too_large", message: "the result is too large; ask for fewer rows or columns" };
  }
  if (error instanceof FileUnreadable) {
    return { code: "segment_unreadable", message: UNREADABLE, detail: text };
  }
  // The client puts words of its own before the message of the parser.
  const kind = /^(?:Failed to extract statements: )?([A-Za-z ]+?) Error: /.exec(text)?.[1] ?? "";
  if (kind === "INTERRUPT") return { code: "query_interrupted", message: "interrupted" };
  if (kind === "Out of Memory") {
    return { code: "query_memory", message: MEMORY_MESSAGE };
  }
  // What follows the first paragraph is an extract of our own SQL, or advice about DuckDB's settings.
  const told = text.replace(/\n\s*(?:\n|LINE \d).*/s, "").trim();
  if (isOfFile(kind, told, files)) {
    return {
      code: "segment_unreadable",
      message: UNREADABLE,
      detail: withFile(told, files),
    };
  }
  if (kind === "IO") {
    return { code: "query_io_failed", message: "the query could not read or spill", detail: told };
  }
  if (OF_THE_STATEMENT.has(kind)) return { code: "query_failed", message: told };
  return { code: "query_engine_failed", message: "the query engine failed", detail: told };
}

/** The message of its reader without the value that it quotes: the log holds no data of users. */
function withFile(told: string, files: readonly string[]): string {
  const words = told.replace(/: value ".*$/s, "");
  if (files.some((name) => words.includes(name))) return words;
  const where = files.length === 1 ? files[0] : `one of ${files.length} files; \`lake verify\` tells which`;
  return `${words} (${where})`;
}

/**
 * Whether a file has wrong content. DuckDB names it, or passes on the error of its reader, which has no kind:
 * "Invalid Error: TProtocolException: Invalid data". Names of files are random; no statement can quote one.
 */
function isOfFile(kind: string, told: string, files: readonly string[]): boolean {
  if (kind === "Invalid") return files.length > 0;
  return (kind === "IO" || kind === "Invalid Input") && files.some((name) => told.includes(name));
}
