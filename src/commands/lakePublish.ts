import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { LakePublisher, openCatalog } from "../lake/mod.ts";
import { publish, type TableReport } from "../publish/mod.ts";
import { openStorage } from "../roles/paths.ts";
import type { Db } from "../store/mod.ts";
import { RetryableError, UsageError } from "../types/mod.ts";
import { unexpected, wholeNumber } from "./kit/command.ts";
import { table } from "./kit/output.ts";
import { placeAt } from "./kit/place.ts";
import type { Deed } from "./kit/records.ts";
import { untilSignal } from "./kit/signal.ts";

const KEEP = 5;
const LEASE_MS = 60_000;

interface Given {
  keep?: string;
  endpoint?: string;
  json?: boolean;
}

/** `weir lake publish`. Throws UsageError. */
export function readPublish(words: readonly string[], options: Given, config: Config): Deed {
  const [project, address, extra] = words;
  if (extra !== undefined) throw unexpected(extra);
  if (project === undefined) throw new UsageError("PROJECT is missing.");
  if (address === undefined) throw new UsageError("PLACE is missing.");
  const teamId = wholeNumber("PROJECT", project);
  const keep = options.keep === undefined ? KEEP : wholeNumber("--keep", options.keep);
  const place = placeAt(address, options.endpoint);
  const readAt = address.startsWith("s3://") ? address.replace(/\/+$/, "") : `file://${resolve(address)}`;
  return async (db) => {
    const storage = openStorage(config);
    const scratch = storage.workDirectory;
    await mkdir(scratch, { recursive: true });
    const publisher = new LakePublisher({
      catalog: openCatalog(db),
      storage,
      memoryLimitBytes: config.compactMemoryBytes,
    });
    const target = { place, address: readAt, scratch };
    const reports = await alone(db, `publish-${teamId}`, (signal) =>
      publish({ publisher, teamId, target, keep, nowMs: Date.now(), signal }),
    );
    return { text: options.json ? JSON.stringify(reports.map(listed)) : table(reports.map(texts)) };
  };
}

const listed = ({ table, rows, files, written, isNew }: TableReport) => ({
  table,
  rows,
  files,
  written,
  is_new: isNew,
});

const texts = ({ table, rows, files, written, isNew }: TableReport) => ({
  ...{ table, rows: String(rows), files: String(files), written: String(written) },
  snapshot: isNew ? "new" : "as before",
});

/** One process at a time: two would each build on the same snapshot. */
async function alone<T>(db: Db, lease: string, body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const catalog = openCatalog(db);
  const holder = crypto.randomUUID();
  const hold = () => catalog.holdLease(lease, holder, LEASE_MS);
  if (!(await hold())) throw new RetryableError("publish_busy", "another process is publishing this project");
  const lost = new AbortController();
  const renewal = setInterval(async () => {
    if (!(await hold().catch(() => true))) lost.abort(new RetryableError("publish_busy", "the lease was lost"));
  }, LEASE_MS / 4);
  try {
    return await body(AbortSignal.any([lost.signal, untilSignal("the publishing")]));
  } finally {
    clearInterval(renewal);
    await catalog.releaseLease(lease, holder);
  }
}
