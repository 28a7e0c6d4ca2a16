import { describeError } from "../../types/mod.ts";

/** A file that the process reads without DuckDB is missing or damaged. */
export class FileUnreadable extends Error {
  constructor(
    readonly location: string,
    cause: unknown,
  ) {
    super(`${location}: ${describeError(cause)}`, { cause });
  }
}
