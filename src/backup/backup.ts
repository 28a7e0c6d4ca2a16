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
import { RetryableError, TerminalError } from "../types/mod.ts";
import {
  type BackedUpFile,
  findManifest,
  type Manifest,
  manifestName,
  newManifest,
  recordsName,
  segmentFileName,
  snapshotNameOf,
  snapshotNames,
} from "./manifest.ts";
import type { Kept, Place } from "./place.ts";
import { prune } from "./prune.ts";

/** Segments that are copied beside each other. */
const COPIES = 4;

export interface BackupParts {
  db: Db;
  catalog: Pick<Catalog, "holdFiles" | "renewPin" | "unpin" | "holdLease" | "releaseLease" | "readWeirId">;
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
  /** Snapshots whose manifests were needed and cannot be read: nothing is removed while one of them is to stay. */
  unreadable: string[];
}

/**
 * Copies everything that is stored at one moment. Files that an earlier snapshot of the place has are not copied again: a file of
 * a segment never changes. Throws RetryableError `files_not_held`, `backup_busy`, TerminalError `place_taken`, and as the place does; then
 * there is no new snapshot.
 */
export function backUp(parts: BackupParts): Promise<BackupReport> {
  const { catalog, place, keep, nowMs } = parts;
  const busy = new RetryableError("backup_busy", "another backup of this Weir is under way");
  return alone({ catalog, name: "backup", busy, signal: parts.signal }, async ({ signal, renew }) => {
    const name = snapshotNameOf(nowMs);
    const unreadable = new Set<string>();
    const weirId = await catalog.readWeirId();
    const kept = await place.list();
    await assertOwn(place, kept, weirId);
    // The pin comes first: what is live in the records that are read next stays on disk until all is copied.
    const { manifest, report } = await holdingFiles({ catalog, signal }, (signal) =>
      copyAll({ ...parts, signal, kept, weirId }, name, unreadable),
    );
    await renew();
    await place.putText(manifestName(name), JSON.stringify(manifest));
    const removed = keep === null ? [] : await prune({ place, keep, signal, unreadable });
    return { snapshot: name, ...report, removed, unreadable: [...unreadable].sort() };
  });
}

/** Of two Weirs in one place each would remove the snapshots of the other (`--keep`). The newest manifest that can be read decides. */
async function assertOwn(place: Place, kept: readonly Kept[], weirId: string): Promise<void> {
  for (const snapshot of snapshotNames(kept).reverse()) {
    const manifest = await findManifest(place, snapshot);
    if (manifest === null) continue;
    if (manifest.weirId === undefined || manifest.weirId === weirId) return;
    throw new TerminalError(
      "place_taken",
      `Snapshot ${snapshot} in this place is of another Weir: choose a place for each.`,
    );
  }
}

interface Copying extends BackupParts {
  /** What the place had at the start: no other backup changes it. */
  kept: readonly Kept[];
  weirId: string;
}

interface Copied {
  manifest: Manifest;
  report: Omit<BackupReport, "snapshot" | "removed" | "unreadable">;
}

/** Puts all files of a snapshot into the place. */
async function copyAll(parts: Copying, name: string, unreadable: Set<string>): Promise<Copied> {
  const { facts, segments, records } = await putRecords(parts, name);
  const { files, damaged, report } = await copySegments(parts, segments, await known(parts, segments, unreadable));
  const { version: weir, weirId, nowMs: takenAtMs, secrets } = parts;
  const manifest = newManifest({ ...facts, weir, weirId, takenAtMs, records, files, damaged, secrets });
  const rows = Object.values(facts.rows).reduce((sum, n) => sum + n, 0);
  return { manifest, report: { segments: segments.length, ...report, rows, damaged } };
}

/**
 * Files of these segments that the place has whole, by name. Nearly all are in the newest manifest; older ones are read only for
 * what is left.
 */
async function known(
  { place, kept }: Copying,
  segments: readonly LiveSegment[],
  unreadable: Set<string>,
): Promise<Map<string, BackedUpFile>> {
  const there = new Set(kept.map(({ name }) => name));
  const names = segments.flatMap((segment) => filesOf(segment).map(fileName));
  const left = new Set(names.filter((name) => there.has(segmentFileName(name))));
  const found = new Map<string, BackedUpFile>();
  for (const snapshot of snapshotNames(kept).reverse()) {
    if (left.size === 0) break;
    const manifest = await findManifest(place, snapshot);
    if (manifest === null) unreadable.add(snapshot);
    const damaged = new Set(manifest?.damaged);
    for (const file of manifest?.files ?? []) {
      if (!damaged.has(file.name) && left.delete(file.name)) found.set(file.name, file);
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
