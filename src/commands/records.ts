import type { Config } from "../config.ts";
import { openExistingRecords } from "../roles/paths.ts";
import type { Db } from "../store/mod.ts";
import type { Printed } from "./output.ts";

/** What a command does with the records, once its arguments are read. */
export type Deed = (db: Db) => Promise<Printed>;

/** Does it on the Weir that is in the data folder, prints what comes out, and gives the exit code. Throws TerminalError `no_data`. */
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
