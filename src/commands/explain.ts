import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { openCatalog, openLake } from "../lake/mod.ts";
import { type ExplainWish, explainQuery } from "../manage/mod.ts";
import { logger } from "../roles/log.ts";
import { openStorage, paths } from "../roles/paths.ts";
import { UsageError } from "../types/mod.ts";
import { type Arguments, wholeNumber } from "./kit/command.ts";
import type { Deed } from "./kit/records.ts";

/** `weir explain`, with a query process of its own beside those of a running Weir. Throws UsageError. */
export function readExplain(given: Arguments<{ insight: "text" }>, config: Config): Deed {
  const wish = readWish(given);
  const log = logger("explain");
  const storage = openStorage(config);
  const runDirectory = join(paths(config).run, `explain-${process.pid}`);
  return async (db) => {
    const catalog = openCatalog(db);
    const lake = openLake({ config: { ...config, queryProcesses: 1 }, catalog, storage, runDirectory, log });
    try {
      return { text: await explainQuery(wish, { config, db, lake, log }) };
    } finally {
      await lake.close();
      rmSync(runDirectory, { recursive: true, force: true });
    }
  };
}

/** Throws UsageError. */
export function readWish({ options, words }: Arguments<{ insight: "text" }>): ExplainWish {
  const [id, file] = words;
  const shortId = options.insight;
  if (id === undefined) throw new UsageError("PROJECT is missing.");
  const project = wholeNumber("PROJECT", id);
  if (file !== undefined && shortId === undefined) return { project, source: { file } };
  if (file === undefined && shortId !== undefined) return { project, source: { shortId } };
  throw new UsageError("Name one file or one insight.");
}
