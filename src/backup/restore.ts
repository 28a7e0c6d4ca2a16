import { createReadStream, existsSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { measureFile } from "../bucket/mod.ts";
import { draftPath, parseFileName, type SegmentFile, type SegmentStore, type StoredFile } from "../lake/mod.ts";
import { type Db, type DumpLine, loadStore, lockFile } from "../store/mod.ts";
import { ifMissing, TerminalError } from "../types/mod.ts";
import { type BackedUpFile, type Manifest, readManifest, segmentFileName, snapshotNames } from "./manifest.ts";
import type { Place } from "./place.ts";

/** Files that are fetched beside each other. */
const FETCHES = 4;
const UNFINISHED = "restore-unfinished";
/** Held while a restore runs. */
const LOCK = "restore.lock";

export interface RestoreParts {
  place: Place;
  dataDir: string;
  /** Opened when the data folder is known to be empty. */
  openStorage(): SegmentStore;
  /** Null: the newest. */
  snapshot: string | null;
  /** Opens a store that holds nothing, with the schema of these migrations; brings it up to date when `close` follows. */
  openStore(migrations: readonly string[]): Promise<Db>;
  signal: AbortSignal;
}

export interface RestoreReport {
  snapshot: string;
  takenAtMs: number;
  files: number;
  sizeBytes: number;
  rows: number;
  /** As the backup found them. */
  damaged: string[];
}

/**
 * Puts a snapshot into an empty data folder. A restore that was interrupted goes on where it was: files that are there already are
 * compared. `weir start` refuses the folder until the restore is finished. Throws TerminalError `not_empty`, `restore_unfinished`,
 * `restore_running`, `no_snapshot`, `backup_newer`, `backup_damaged`.
 */
export async function restore(parts: RestoreParts): Promise<RestoreReport> {
  const { name, manifest } = await chosen(parts);
  const release = await begin(parts.dataDir, name);
  try {
    await fill(parts, manifest);
  } finally {
    release();
  }
  const { files, takenAtMs, damaged, rows } = manifest;
  return {
    ...{ snapshot: name, takenAtMs, damaged, files: files.length },
    sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    rows: Object.values(rows).reduce((sum, n) => sum + n, 0),
  };
}

async function fill(parts: RestoreParts, manifest: Manifest): Promise<void> {
  const { place, dataDir } = parts;
  const storage = parts.openStorage();
  await mkdir(storage.workDirectory, { recursive: true, mode: 0o700 });
  await assertOwn(storage, manifest.files);
  await fetchAll(parts, storage, manifest.files);
  for (const [file, text] of Object.entries(manifest.secrets)) {
    await writeFile(join(dataDir, file), text, { mode: 0o600 });
  }
  // The records last: with them the folder is a Weir.
  const folder = await mkdtemp(join(tmpdir(), "weir-restore-"));
  try {
    const path = join(folder, "records.ndjson.gz");
    await fetchChecked(place, manifest.records, manifest.records.name, path);
    const db = await parts.openStore(manifest.migrations);
    try {
      await loadStore(db, manifest, () => linesOf(path));
    } finally {
      await db.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  await rm(join(dataDir, UNFINISHED));
}

/** Throws TerminalError `restore_unfinished`: what lies in the folder is a part of a Weir. */
export function assertNoUnfinishedRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, UNFINISHED))) return;
  throw new TerminalError(
    "restore_unfinished",
    `${dataDir} holds a restore that was interrupted. Run \`weir restore\` again, or empty the folder.`,
  );
}

/** Without a name it is the one that was interrupted, else the newest. */
async function chosen({ place, dataDir, snapshot }: RestoreParts): Promise<{ name: string; manifest: Manifest }> {
  const names = snapshotNames(await place.list());
  const wanted = snapshot ?? (await interrupted(dataDir));
  const found = names.find((candidate) => candidate === wanted);
  const name = snapshot === null ? (found ?? names.at(-1)) : found;
  if (name !== undefined) return { name, manifest: await readManifest(place, name) };
  const problem = names.length === 0 ? "There is no finished backup." : `It is none of ${names.join(", ")}.`;
  throw new TerminalError("no_snapshot", `${snapshot ?? "A snapshot"} cannot be restored. ${problem}`);
}

/** Marks the folder, which no other restore fills until the release. */
async function begin(dataDir: string, snapshot: string): Promise<() => void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Nothing is put into a folder of something else.
  await assertFree(dataDir, snapshot);
  const unlock = lockFile(join(dataDir, LOCK));
  if (unlock === null) {
    throw new TerminalError(
      "restore_running",
      `Another \`weir restore\` fills ${dataDir} (WEIR_DATA_DIR) at this moment.`,
    );
  }
  const release = () => {
    if (!existsSync(join(dataDir, UNFINISHED))) rmSync(join(dataDir, LOCK));
    unlock();
  };
  try {
    // Another one may have filled it meanwhile.
    await assertFree(dataDir, snapshot);
    await writeFile(join(dataDir, UNFINISHED), snapshot);
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

async function assertFree(dataDir: string, snapshot: string): Promise<void> {
  const there = await readdir(dataDir);
  if (!there.includes(UNFINISHED)) {
    if (there.every((file) => file === LOCK)) return;
    throw new TerminalError("not_empty", `${dataDir} (WEIR_DATA_DIR) is not empty: a restore needs an empty folder.`);
  }
  const before = await interrupted(dataDir);
  if (before === null || before === snapshot) return;
  throw new TerminalError(
    "restore_unfinished",
    `${dataDir} (WEIR_DATA_DIR) holds an interrupted restore of snapshot ${before}. Go on with --snapshot ${before}, or empty the folder.`,
  );
}

/** The snapshot whose restore was interrupted; null where there is none, or where the mark does not name it. */
async function interrupted(dataDir: string): Promise<string | null> {
  return (await readFile(join(dataDir, UNFINISHED), "utf8").catch(ifMissing(null))) || null;
}

/** A store elsewhere may have files of another Weir; the data folder those of an interrupted restore. */
async function assertOwn(storage: SegmentStore, files: readonly BackedUpFile[]): Promise<void> {
  const own = new Set(files.map(({ name }) => name));
  const isOther = ({ name, part }: StoredFile) => part !== null && part !== "unfinished" && !own.has(name);
  const other = (await storage.list()).find(isOther);
  if (other === undefined) return;
  const isElsewhere = storage.directory !== storage.workDirectory;
  const where = isElsewhere ? "the place of segments (WEIR_STORE_URL)" : `${storage.directory} (WEIR_DATA_DIR)`;
  const problem = `${where} has files that are not of this snapshot, as ${other.name}`;
  throw new TerminalError("not_empty", `${problem}: a restore needs an empty one.`);
}

async function fetchAll(
  { place, signal }: RestoreParts,
  storage: SegmentStore,
  files: readonly BackedUpFile[],
): Promise<void> {
  const left = [...files];
  const fetchNext = async () => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      signal.throwIfAborted();
      const segmentFile = segmentFileOf(file.name);
      if (await isWhole(storage, segmentFile, file)) continue;
      const draft = draftPath(storage.workDirectory, segmentFile);
      await fetchChecked(place, file, segmentFileName(file.name), draft);
      await storage.publish([segmentFile]);
    }
  };
  await Promise.all(Array.from({ length: FETCHES }, fetchNext));
}

/** A name from a manifest leads nowhere else. */
function segmentFileOf(name: string): SegmentFile {
  const { id, part } = parseFileName(name);
  if (part !== null && part !== "unfinished") return { id, part };
  throw new TerminalError("backup_damaged", `"${name}" is no name of a file of a segment`);
}

async function isWhole(storage: SegmentStore, segmentFile: SegmentFile, file: BackedUpFile): Promise<boolean> {
  const location = storage.locate(segmentFile);
  if (!(await storage.has(location))) return false;
  return storage.hold([location], async () => (await measureFile(location)).checksum === file.checksum);
}

async function fetchChecked(place: Place, file: BackedUpFile, name: string, path: string): Promise<void> {
  const draft = `${path}.fetched`;
  await place.fetch(name, draft);
  const { sizeBytes, checksum } = await measureFile(draft);
  if (sizeBytes !== file.sizeBytes || checksum !== file.checksum) {
    throw new TerminalError("backup_damaged", `${name} is not what was backed up`);
  }
  await rename(draft, path);
}

async function* linesOf(path: string): AsyncGenerator<DumpLine> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of createReadStream(path).pipe(createGunzip())) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}
