import { describeError } from "../../types/mod.ts";
import type { QueryErrorCode } from "./messages.ts";
import { ResultTooLarge } from "./resultJson.ts";

/** A file of the snapshot is not on the disk. */
export class MissingSegment extends Error {}

/** What a failure in a query process means, with a message that a user may see: no SQL, no paths. */
export function classify(error: unknown): { code: QueryErrorCode; message: string } {
  const text = describeError(error);
  if (error instanceof ResultTooLarge) {
    return { code: "result_too_large", message: "the result is too large; ask for fewer rows or columns" };
  }
  if (error instanceof MissingSegment) return { code: "segment_missing", message: "a file of the snapshot is gone" };
  if (/^INTERRUPT Error/.test(text)) return { code: "query_interrupted", message: "interrupted" };
  if (/^Out of Memory Error/.test(text)) {
    return { code: "query_memory", message: "the query needs more memory than it may use" };
  }
  if (/^(IO|Permission|INTERNAL|FATAL|TransactionContext) Error/i.test(text)) {
    return { code: "query_failed", message: `the query could not be run (${text.split(" ", 1)[0]} error)` };
  }
  // What follows the first paragraph is an extract of our own SQL, or advice about DuckDB's settings.
  return { code: "query_failed", message: text.split(/\n\s*(?:\n|LINE \d)/, 1)[0]!.trim() };
}
