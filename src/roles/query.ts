import { join } from "node:path";
import type { Config } from "../config.ts";
import { type Lake, LocalStore, openCatalog, openLake } from "../lake/mod.ts";
import { openQueries, QUERY_QUEUE, type Queries } from "../manage/mod.ts";
import { runQuery as runQueryNode } from "../query/mod.ts";
import type { Db } from "../store/mod.ts";
import { type Bus, connectBus } from "../stream/mod.ts";
import { brokerUrl } from "./brokerUrl.ts";
import { logger } from "./log.ts";
import { openExistingRecords, paths } from "./paths.ts";
import { liveAsChild } from "./supervision/children.ts";

export interface QueryParts {
  config: Config;
  db: Db;
  bus: Bus;
  lake: Lake;
  log(message: string): void;
}

/**
 * What answers queries in this process, and takes background queries until `stop`: that closes the lake, which ends
 * those in hand and gives them to another process.
 */
export function startQueries(parts: QueryParts): { queries: Queries; stop(): Promise<void> } {
  const { config, bus, lake, log } = parts;
  const queue = bus.workQueue({ ...QUERY_QUEUE, log });
  const queries = openQueries({ ...parts, queue, runQuery: runQueryNode, now: () => Date.now() });
  const endWork = queue.work(config.backgroundQueries, (task) => queries.jobs.run(task));
  return {
    queries,
    async stop() {
      const ended = endWork();
      await lake.close();
      await ended;
      await queries.calculator.close();
    },
  };
}

/** A process that calculates background queries, and nothing else. */
export async function runQueryRole(config: Config): Promise<number> {
  const id = `query-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const log = logger(id);
  const db = await openExistingRecords(config);
  const bus = await connectBus(brokerUrl(config), { name: id });
  // Beside `weir start` on the same folder, which has query processes of its own.
  const runDirectory = join(paths(config).run, id);
  const storage = new LocalStore(paths(config).lake);
  const lake = openLake({ config, catalog: openCatalog(db), storage, runDirectory, log });
  const { stop } = startQueries({ config, db, bus, lake, log });
  await new Promise<void>((resolve) => liveAsChild(resolve));
  await stop();
  await bus.close();
  await db.close();
  return 0;
}
