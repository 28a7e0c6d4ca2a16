import { Database } from "bun:sqlite";
import { describeError } from "../types/mod.ts";

/** Holds a file for this process alone; null where another one holds it. The kernel lets go of what a killed process held. */
export function lockFile(path: string): (() => void) | null {
  const file = new Database(path, { create: true, readwrite: true });
  try {
    // Nothing is written, and no second file lies beside it.
    file.run("pragma journal_mode = memory");
    file.run("begin exclusive");
  } catch (error) {
    file.close();
    if ((error as { code?: unknown }).code === "SQLITE_BUSY") return null;
    throw new Error(`${path} cannot be locked: ${describeError(error)}`, { cause: error });
  }
  return () => file.close();
}
