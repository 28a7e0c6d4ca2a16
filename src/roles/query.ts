import { hostname } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { type Lake, openCatalog, openLake } from "../lake/mod.ts";
import {
  openQueries,
  QUERY_QUEUE,
  type Queries,
  REMOTE_SERVICE,
  RemoteAnswerer,
  takeBackgroundQueries,
} from "../manage/mod.ts";
import { ParsedQuery, runQuery as runQueryNode } from "../query/mod.ts";
import type { Db } from "../store/mod.ts";
import { type Asker, type Bus, connectBus } from "../stream/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import { logger } from "./log.ts";
import { QueryTimes } from "./metrics/queryTimes.ts";
import { openExistingRecords, openStorage, paths } from "./paths.ts";
import { liveAsChild } from "./supervision/children.ts";
import { brokerAddress } from "./urls.ts";

interface QueryParts {
  config: Config;
  db: Db;
  bus: Bus;
  lake: Lake;
  /** Where the times of calculations are noted. */
  queryTimes: QueryTimes;
  /** Of processes that calculate for this one. */
  asker?: Asker;
  log(message: string): void;
}

/**
 * Starts to answer queries in this process and to take background queries. `stop` closes the lake, which ends the background
 * queries in hand, so that another process takes them.
 */
export function startQueries(parts: QueryParts): { queries: Queries; stop(): Promise<void> } {
  const { config, bus, lake, log, queryTimes } = parts;
  const runQuery = queryTimes.watch(runQueryNode, kindOf);
  const queue = bus.workQueue({ ...QUERY_QUEUE, log });
  const queries = openQueries({ ...parts, queue, runQuery, now: () => Date.now() });
  const endWork = takeBackgroundQueries(queue, queries.jobs, config.backgroundQueries);
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

function kindOf(asked: Parameters<typeof runQueryNode>[0]): unknown {
  if (asked instanceof ParsedQuery) return asked.source.kind;
  return isJsonObject(asked) ? asked.kind : null;
}

/** A process that calculates what api processes ask it, and background queries. */
export async function runQueryRole(config: Config): Promise<number> {
  const id = `query-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const log = logger(id);
  const db = await openExistingRecords(config);
  const bus = await connectBus(brokerAddress(config), { name: id });
  // A folder of its own: `weir start` on the same data folder has query processes too.
  const runDirectory = join(paths(config).run, id);
  const storage = openStorage(config, { log });
  const lake = openLake({ config, catalog: openCatalog(db), storage, runDirectory, log });
  const queryTimes = new QueryTimes();
  const { queries, stop } = startQueries({ config, db, bus, lake, log, queryTimes });
  const { calculator } = queries;
  const answerer = new RemoteAnswerer({ config, db, calculator, log });
  const offer = bus.offer({
    service: REMOTE_SERVICE,
    id,
    // Files are cached below the data folder.
    place: `${hostname()} ${config.dataDir}`,
    take: (payload) => answerer.take(payload),
    facts: () => queryTimes.toText(),
  });
  await new Promise<void>((resolve) => liveAsChild(resolve));
  // What is in hand others calculate.
  await offer.end();
  await stop();
  await bus.close();
  await db.close();
  return 0;
}
