import { type FileHandle, lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { TerminalError } from "../../types/mod.ts";
import type { SegmentFacts, SegmentState } from "../catalog/mod.ts";

const SPILL = "spill";
const ID = /^[0-9a-z-]{1,64}$/;

/** Ids become file names and SQL text, so nothing else may. */
export function checkSegmentId(id: string): string {
  if (!ID.test(id)) throw new TerminalError("invalid_segment_id", `"${id}" is no segment id`);
  return id;
}

/** `<id>.parquet`: the rows. */
export function rowsPath(directory: string, id: string): string {
  return join(directory, rowsName(id));
}

export function rowsName(id: string): string {
  return `${checkSegmentId(id)}.parquet`;
}

/** `<id>.activity.parquet`: what persons did by day; made by compaction (`compaction/activityWriter.ts`). */
export function activityPath(directory: string, id: string): string {
  return join(directory, activityName(id));
}

export function activityName(id: string): string {
  return `${checkSegmentId(id)}.activity.parquet`;
}

/** `<id>.keys`: the duplicate keys of the rows; a log has none. */
export function keysPath(directory: string, id: string): string {
  return join(directory, `${checkSegmentId(id)}.keys`);
}

/** What a file is called until it is complete. */
export function temporary(path: string): string {
  return `${path}.tmp`;
}

/** Makes a complete temporary file durable under its real name; `syncDirectory` must follow. */
export async function publish(path: string): Promise<void> {
  const handle = await open(temporary(path), "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary(path), path);
}

export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What tells which files a segment has. */
type Made = Pick<SegmentFacts, "id" | "kind" | "activityZone">;

/** The files of a segment. */
export function segmentPaths(directory: string, { id, kind, activityZone }: Made): string[] {
  return [
    rowsPath(directory, id),
    ...(kind === "events" ? [keysPath(directory, id)] : []),
    ...(activityZone === null ? [] : [activityPath(directory, id)]),
  ];
}

const CHECKSUM_CHUNK_BYTES = 1 << 20;

/** Bytes of all files of a segment together, and their checksum: xxHash64 chained over whole chunks, in hexadecimal. */
export async function measureFiles(directory: string, segment: Made): Promise<{ sizeBytes: number; checksum: string }> {
  const chunk = Buffer.allocUnsafe(CHECKSUM_CHUNK_BYTES);
  let sizeBytes = 0;
  let hash = 0n;
  for (const path of segmentPaths(directory, segment)) {
    const handle = await open(path, "r");
    try {
      for (let filled = chunk.length; filled === chunk.length; ) {
        filled = await fill(handle, chunk);
        hash = Bun.hash.xxHash64(chunk.subarray(0, filled), hash);
        sizeBytes += filled;
      }
    } finally {
      await handle.close();
    }
  }
  return { sizeBytes, checksum: hash.toString(16).padStart(16, "0") };
}

/** Reads until the buffer is full or the file ends; gives how much. */
async function fill(handle: FileHandle, buffer: Buffer): Promise<number> {
  let filled = 0;
  for (let got = 1; got > 0 && filled < buffer.length; filled += got) {
    got = (await handle.read(buffer, filled, buffer.length - filled)).bytesRead;
  }
  return filled;
}

/** Removes every file of a segment, finished or not. */
export async function removeSegmentFiles(directory: string, id: string): Promise<void> {
  for (const path of everyPath(directory, id)) await rm(path, { force: true });
}

/** Whatever a segment may have while it is written. */
function everyPath(directory: string, id: string): string[] {
  const paths = [rowsPath, keysPath, activityPath].map((path) => path(directory, id));
  return [...paths, ...paths.map(temporary), rawPath(directory, id)];
}

/** Whether a file of this name is one of the segment's. */
export function isFileOf(segment: Made & { state: SegmentState }, name: string): boolean {
  const isComplete = segment.state === "live" || segment.state === "replaced";
  const paths = isComplete ? segmentPaths("", segment) : everyPath("", segment.id);
  return paths.some((path) => basename(path) === name);
}

/** The rows of a segment on their way into DuckDB. */
export function rawPath(directory: string, id: string): string {
  return join(directory, `${checkSegmentId(id)}.raw`);
}

/** Of a file's name: the segment that it would belong to. */
export function segmentIdOf(name: string): string {
  return name.split(".", 1)[0]!;
}

/** Whether a file is there. */
export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Ids of all files in the folder, with the time of the last change of any of theirs. */
export async function listSegmentFiles(directory: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const name of await readdir(directory)) {
    const id = segmentIdOf(name);
    if (!ID.test(id)) continue;
    const facts = await stat(join(directory, name)).catch(() => null);
    if (facts?.isFile()) found.set(id, Math.max(found.get(id) ?? 0, facts.mtimeMs));
  }
  return found;
}

/** Names of all files in the folder and in folders below it, but for what is spilled. */
export async function listFiles(directory: string): Promise<string[]> {
  const top = await readdir(directory, { withFileTypes: true });
  const below = top.filter((entry) => entry.isDirectory() && entry.name !== SPILL).map(({ name }) => name);
  const inside = await Promise.all(
    below.map((name) => readdir(join(directory, name), { recursive: true, withFileTypes: true })),
  );
  return [...top, ...inside.flat()]
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
}

/** A folder of this process alone for what DuckDB spills. */
export function spillDirectory(directory: string): string {
  return join(directory, SPILL, `${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
}

/** Removes what processes that are gone have left in their spill folders. */
export async function sweepSpills(directory: string): Promise<void> {
  for (const name of await readdir(join(directory, SPILL)).catch(() => [])) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(join(directory, SPILL, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
