import type { Config } from "../../config.ts";
import { runKeys, runProjects } from "../../manage/mod.ts";
import { openRecords } from "../paths.ts";

/** `weir keys …` and `weir projects …`, on the record store itself. */
export async function runRecords(config: Config, command: "keys" | "projects", argv: string[]): Promise<number> {
  const db = await openRecords(config);
  try {
    await (command === "keys" ? runKeys(argv, db) : runProjects(argv, db));
    return 0;
  } finally {
    await db.close();
  }
}
