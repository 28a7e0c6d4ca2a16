import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { measureFile } from "../bucket/mod.ts";
import {
  alone,
  type Catalog,
  fileName,
  filesOf,
  holdingFiles,
  type LiveSegment,
  liveSegments,
  measureFiles,
  type SegmentStore,
} from "../lake/mod.ts";
import { type Db, type DumpFacts, type DumpLine, dumpStore } from "../store/mod.ts";
import { RetryableError } from "../types/mod.ts";
import {
  type BackedUpFile,
  manifestName,
  newManifest,
  readSnapshots,
  recordsName,
  type Snapshot,
  segmentFileName,
  snapshotNameOf,
} from "./manifest.ts";
import type { Place } from "./place.ts";
import { prune } from "./prune.ts";

/** Segments that are copied beside each other. */
const COPIES = 4;

export interface BackupParts {
  db: Db;
  catalog: Pick<Catalog, "holdFiles" | "renewPin" | "unpin" | "holdLease" | "releaseLease">;
  storage: SegmentStore;
  place: Place;
  /** Files of the data folder that records need, by name. */
  secrets: Record<string, string>;
  /** Snapshots that stay, this one included; null: all. */
  keep: number | null;
  /** Of this Weir. */
  version: string;
  nowMs: number;
  signal: AbortSignal;
}

export interface BackupReport {
  snapshot: string;
  segments: number;
  /** All files that the snapshot names, and of these what had to be copied. */
  sizeBytes: number;
  copiedBytes: number;
  copiedFiles: number;
  /** Rows of the record store. */
  rows: number;
  /** Names of files that differ from the catalog. */
  damaged: string[];
  /** Snapshots that were removed. */
  removed: string[];
}

/**
 * Copies everything that is stored at one moment. Files that an earlier snapshot of the place has are not copied again: a file of
 * a segment never changes. Throws RetryableError `files_not_held`, `backup_busy`, and as the place does; then there is no new snapshot.
 */
export function backUp(parts: BackupParts): Promise<BackupReport> {
  const { catalog } = parts;
  const busy = new RetryableError("backup_busy", "another backup of this Weir is under way");
  // The pin comes first: what is live in the records that are read next stays on disk until all is copied.
  return alone({ catalog, name: "backup", busy, signal: parts.signal }, ({ signal, renew }) =>
    holdingFiles({ catalog, signal }, (signal) => take({ ...parts, signal }, renew)),
  );
}

async function take(parts: BackupParts, renew: () => Promise<void>): Promise<BackupReport> {
  const { place, nowMs, keep } = parts;
  const kept = await place.list();
  const before = await readSnapshots(place, kept);
  const name = snapshotNameOf(nowMs);
  const dumped = await putRecords(parts, name);
  const copies = await copySegments(parts, dumped.segments, known(before, new Set(kept.map(({ name }) => name))));
  const manifest = newManifest({
    ...dumped.facts,
    weir: parts.version,
    takenAtMs: nowMs,
    records: dumped.records,
    files: copies.files,
    damaged: copies.damaged,
    secrets: parts.secrets,
  });
  parts.signal.throwIfAborted();
  await renew();
  await place.putText(manifestName(name), JSON.stringify(manifest));
  const snapshots = [...before, { name, manifest }];
  return {
    snapshot: name,
    segments: dumped.segments.length,
    ...copies.report,
    rows: Object.values(dumped.facts.rows).reduce((sum, n) => sum + n, 0),
    damaged: copies.damaged,
    removed: keep === null ? [] : await prune(place, snapshots, keep, nowMs),
  };
}

/** The files that the place has whole, by name. */
function known(snapshots: readonly Snapshot[], there: ReadonlySet<string>): Map<string, BackedUpFile> {
  const found = new Map<string, BackedUpFile>();
  for (const { manifest } of snapshots) {
    const damaged = new Set(manifest.damaged);
    for (const file of manifest.files) {
      if (there.has(segmentFileName(file.name)) && !damaged.has(file.name)) found.set(file.name, file);
    }
  }
  return found;
}

interface Dumped {
  facts: DumpFacts;
  segments: LiveSegment[];
  records: BackedUpFile;
}

async function putRecords({ db, place }: BackupParts, snapshot: string): Promise<Dumped> {
  const folder = await mkdtemp(join(tmpdir(), "weir-backup-"));
  const path = join(folder, "records.ndjson.gz");
  try {
    let file: RecordsFile | null = null;
    const begin = () => {
      file = new RecordsFile(path);
      return file.take;
    };
    const { facts, beside: segments } = await dumpStore(db, begin, liveSegments);
    await (file as RecordsFile | null)?.end();
    const records = { name: recordsName(snapshot), ...(await measureFile(path)) };
    await place.putFile(records.name, path);
    return { facts, segments, records };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Lines of JSON, packed. */
class RecordsFile {
  private readonly gzip = createGzip();
  private readonly written: Promise<void>;

  constructor(path: string) {
    this.written = pipeline(this.gzip, createWriteStream(path, { mode: 0o600 }));
    // A failure is told by `take` or `end`.
    this.written.catch(() => {});
  }

  readonly take = async (lines: readonly DumpLine[]): Promise<void> => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    if (this.gzip.write(text)) return;
    await Promise.race([new Promise((resolve) => this.gzip.once("drain", resolve)), this.written]);
  };

  async end(): Promise<void> {
    this.gzip.end();
    await this.written;
  }
}

interface Copies {
  files: BackedUpFile[];
  damaged: string[];
  report: Pick<BackupReport, "sizeBytes" | "copiedBytes" | "copiedFiles">;
}

async function copySegments(
  parts: BackupParts,
  segments: readonly LiveSegment[],
  there: ReadonlyMap<string, BackedUpFile>,
): Promise<Copies> {
  const copies: Copies = { files: [], damaged: [], report: { sizeBytes: 0, copiedBytes: 0, copiedFiles: 0 } };
  const left = [...segments];
  const copyNext = async () => {
    for (let segment = left.shift(); segment !== undefined; segment = left.shift()) {
      parts.signal.throwIfAborted();
      await copySegment(parts, segment, there, copies);
    }
  };
  await Promise.all(Array.from({ length: COPIES }, copyNext));
  copies.files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return copies;
}

async function copySegment(
  { storage, place }: BackupParts,
  segment: LiveSegment,
  there: ReadonlyMap<string, BackedUpFile>,
  { files, damaged, report }: Copies,
): Promise<void> {
  const wanted = filesOf(segment).map((file) => ({ name: fileName(file), location: storage.locate(file) }));
  const isThere = wanted.every(({ name }) => there.has(name));
  await storage.hold(isThere ? [] : wanted.map(({ location }) => location), async () => {
    const isDamaged =
      !isThere && segment.checksum !== "" && (await measureFiles(storage, segment)).checksum !== segment.checksum;
    for (const { name, location } of wanted) {
      let file = there.get(name);
      if (file === undefined) {
        file = { name, ...(await measureFile(location)) };
        await place.putFile(segmentFileName(name), location);
        report.copiedFiles++;
        report.copiedBytes += file.sizeBytes;
      }
      if (isDamaged) damaged.push(name);
      report.sizeBytes += file.sizeBytes;
      files.push(file);
    }
  });
}
