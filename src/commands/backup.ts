import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { type BackupReport, backUp, readSnapshots, type Snapshot, untilSettled } from "../backup/mod.ts";
import type { Config } from "../config.ts";
import { openCatalog } from "../lake/mod.ts";
import { SECRET_FILES } from "../outgoing/mod.ts";
import { openStorage } from "../roles/paths.ts";
import { brokerAddress } from "../roles/urls.ts";
import type { Db } from "../store/mod.ts";
import { connectBus } from "../stream/mod.ts";
import { TerminalError, WeirError } from "../types/mod.ts";
import { type Arguments, unexpected, wholeNumber } from "./kit/command.ts";
import { table } from "./kit/output.ts";
import { placeAt, placeBeside } from "./kit/place.ts";
import { doOnRecords } from "./kit/records.ts";
import { untilSignal } from "./kit/signal.ts";

/** Time for what is queued at the start to be stored. */
const WAIT_S = 60;
/** What the broker is not there for. */
const NOT_RUNNING = new Set(["no_broker", "broker_unavailable"]);

type Given = Arguments<{ keep: "text"; wait: "text"; endpoint: "text"; json: "flag" }>;

/** `weir backup`. Throws UsageError. */
export async function runBackup({ options, words }: Given, config: Config): Promise<number> {
  const isList = words[0] === "list";
  const [address, extra] = isList ? words.slice(1) : words;
  if (extra !== undefined) throw unexpected(extra);
  if (isList) {
    const place = placeAt(address, options.endpoint);
    const snapshots = await readSnapshots(place);
    console.log(options.json ? JSON.stringify(snapshots.map(listed)) : listText(snapshots));
    return 0;
  }
  const place = placeBeside(address, options.endpoint, config);
  const keep = options.keep === undefined ? null : wholeNumber("--keep", options.keep);
  const waitMs = 1000 * (options.wait === undefined ? WAIT_S : wholeNumber("--wait", options.wait, 0));
  return doOnRecords(config, async (db) => {
    const signal = untilSignal("the backup");
    const catalog = openCatalog(db);
    const storage = openStorage(config, { isShared: false });
    const queue = await waitForQueue(config, db, { timeoutMs: waitMs, signal });
    const secrets = secretsOf(config);
    const report = await backUp({ db, catalog, storage, place, secrets, keep, version, nowMs: Date.now(), signal });
    const notes = [NOTES[queue], unreadableNote(report)].filter((note) => note !== null);
    return {
      text: options.json ? JSON.stringify({ ...report, queue }) : reportText(report),
      ...(notes.length === 0 ? {} : { note: notes.join("\n") }),
      exitCode: report.damaged.length === 0 ? 0 : 1,
    };
  });
}

/** Whether what was queued when the backup began is in it. */
type Queue = "stored" | "waits" | "not_running";

const NOTES: Record<Queue, string | null> = {
  stored: null,
  waits: "Some events that were queued at the start are not in it: they were not stored in time (--wait).",
  not_running: "Weir is not running: events that wait in its queue are not in the backup.",
};

function unreadableNote({ unreadable }: BackupReport): string | null {
  if (unreadable.length === 0) return null;
  const names = unreadable.join(", ");
  return `Manifests that cannot be read: ${names}. No file is removed (--keep) while one of them is to stay.`;
}

async function waitForQueue(config: Config, db: Db, o: { timeoutMs: number; signal: AbortSignal }): Promise<Queue> {
  try {
    const bus = await connectBus(brokerAddress(config), { name: "weir-backup" });
    try {
      return (await untilSettled({ bus, catalog: openCatalog(db), ...o })) ? "stored" : "waits";
    } finally {
      await bus.close();
    }
  } catch (error) {
    if (error instanceof WeirError && NOT_RUNNING.has(error.code)) return "not_running";
    throw error;
  }
}

function secretsOf({ dataDir }: Config): Record<string, string> {
  const there = SECRET_FILES.filter((name) => existsSync(join(dataDir, name)));
  return Object.fromEntries(there.map((name) => [name, readFileSync(join(dataDir, name), "utf8")]));
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function reportText({
  snapshot,
  segments,
  rows,
  sizeBytes,
  copiedBytes,
  copiedFiles,
  damaged,
  removed,
}: BackupReport): string {
  return [
    `Snapshot ${snapshot}: ${segments} segments, ${mib(sizeBytes)}; ${rows} rows of records.`,
    `Copied ${copiedFiles} files, ${mib(copiedBytes)}; the place had the others.`,
    ...(removed.length === 0 ? [] : [`Removed ${removed.join(", ")}.`]),
    ...(damaged.length === 0
      ? []
      : [`Damaged, and copied as they are (\`weir lake verify\` tells more): ${damaged.join(", ")}.`]),
  ].join("\n");
}

const listed = ({ name, manifest }: Snapshot) => ({
  snapshot: name,
  ...(manifest === null ? UNREADABLE : factsOf(manifest)),
});

const factsOf = ({ takenAtMs, weir, files, damaged }: NonNullable<Snapshot["manifest"]>) => ({
  taken_at: new Date(takenAtMs).toISOString(),
  weir,
  files: files.length,
  size_bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  damaged: damaged.length,
});

const UNREADABLE = { taken_at: null, weir: null, files: null, size_bytes: null, damaged: null };

function listText(snapshots: readonly Snapshot[]): string {
  if (snapshots.length === 0) throw new TerminalError("no_snapshot", "There is no finished backup.");
  return table(
    snapshots.map(listed).map(({ snapshot, weir, files, size_bytes, damaged }) => ({
      snapshot,
      weir: weir ?? "cannot be read",
      files: String(files ?? ""),
      size: size_bytes === null ? "" : mib(size_bytes),
      damaged: String(damaged ?? ""),
    })),
  );
}
