import type { Session, SqlValue } from "../engine/mod.ts";

/** A file of an export, ready to be handed over. */
export interface WrittenPart {
  path: string;
  bytes: number;
  records: number;
}

/** One SELECT with its `$1…`. */
export interface Statement {
  text: string;
  params: readonly SqlValue[];
}

/** Writes the rows of statements into files; each file that it gives is its receiver's to remove. */
export interface RowsWriter {
  write(session: Session, statement: Statement): AsyncGenerator<WrittenPart>;
  /** After the last statement. */
  finish(): AsyncGenerator<WrittenPart>;
  /** Frees what it holds, also after a failure. */
  close(): Promise<void>;
}
