import type { Config } from "../../config.ts";
import { openExistingRecords } from "../../roles/paths.ts";
import type { Db } from "../../store/mod.ts";
import type { Printed } from "./output.ts";

/** A command with its arguments read: what it does with the records. */
export type Deed = (db: Db) => Promise<Printed>;

/** Runs a deed on the Weir in the data folder, prints its output, and gives the exit code. Throws TerminalError `no_data`. */
export async function doOnRecords(config: Config, deed: Deed): Promise<number> {
  const db = await openExistingRecords(config);
  try {
    const { text, note, exitCode = 0 } = await deed(db);
    console.log(text);
    if (note !== undefined) console.error(note);
    return exitCode;
  } finally {
    await db.close();
  }
}
