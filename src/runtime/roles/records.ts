import type { Config } from "../../config.ts";
import { runDemo, runKeys, runProjects } from "../../manage/mod.ts";
import type { Db } from "../../metadata/mod.ts";
import { openRecords } from "../paths.ts";

const COMMANDS = {
  keys: (argv: string[], _config: Config, db: Db) => runKeys(argv, db),
  projects: (argv: string[], _config: Config, db: Db) => runProjects(argv, db),
  demo: runDemo,
};

/** `weir keys …`, `weir projects …` and `weir demo …`, on the record store itself. */
export async function runRecords(config: Config, command: keyof typeof COMMANDS, argv: string[]): Promise<number> {
  const db = await openRecords(config);
  try {
    await COMMANDS[command](argv, config, db);
    return 0;
  } finally {
    await db.close();
  }
}
