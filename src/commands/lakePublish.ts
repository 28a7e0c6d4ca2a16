import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { alone, LakePublisher, openCatalog, spillDirectory } from "../lake/mod.ts";
import { findEnvironment } from "../metadata/mod.ts";
import { publish, type TableReport } from "../publish/mod.ts";
import { openStorage } from "../roles/paths.ts";
import { RetryableError, TerminalError, UsageError } from "../types/mod.ts";
import { unexpected, wholeNumber } from "./kit/command.ts";
import { table } from "./kit/output.ts";
import { placeBeside } from "./kit/place.ts";
import type { Deed } from "./kit/records.ts";
import { untilSignal } from "./kit/signal.ts";

const KEEP = 5;

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
  const place = placeBeside(address, options.endpoint, config);
  const readAt = address.startsWith("s3://") ? address.replace(/\/+$/, "") : `file://${resolve(address)}`;
  return async (db) => {
    const project = await db.read((tx) => findEnvironment(tx, teamId));
    if (project === null) throw new TerminalError("not_found", `There is no environment ${teamId}.`);
    const storage = openStorage(config);
    const catalog = openCatalog(db);
    const publisher = new LakePublisher({
      catalog,
      storage,
      memoryLimitBytes: config.compactMemoryBytes,
    });
    const target = { project, place, address: readAt, scratch: spillDirectory(storage.workDirectory) };
    // Two at once would each build on the same snapshot.
    const busy = new RetryableError("publish_busy", "another process is publishing this project");
    const lease = { catalog, name: `publish-${teamId}`, busy, signal: untilSignal("the publishing") };
    const reports = await alone(lease, ({ signal }) => publish({ publisher, target, keep, nowMs: Date.now(), signal }));
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
