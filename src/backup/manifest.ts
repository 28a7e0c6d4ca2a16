import { TerminalError } from "../types/mod.ts";
import type { Kept, Place } from "./place.ts";

/** What this Weir writes, and the newest that it can read. */
const FORMAT = 1;
const MANIFEST = /^snapshots\/([0-9TZ-]+)\/manifest\.json$/;
/** A manifest that is damaged, or of a newer Weir. */
const UNREADABLE = new Set(["backup_damaged", "backup_newer"]);

/** A file of a segment. */
export interface BackedUpFile {
  /** As in the lake's folder. */
  name: string;
  sizeBytes: number;
  /** xxHash64 chained over whole MiB, in hexadecimal. */
  checksum: string;
}

/** What one snapshot consists of; written last, so that a snapshot without it is unfinished. */
export interface Manifest {
  format: number;
  /** Version of the Weir that wrote it. */
  weir: string;
  /** Of which Weir the snapshot is (`readWeirId`); older ones do not say. */
  weirId?: string;
  /** Epoch milliseconds. */
  takenAtMs: number;
  /** The schema of its records: names of migrations, in order. */
  migrations: string[];
  /** Of each generated key the highest value that was ever given, so that no id comes again. */
  sequences: Record<string, number>;
  /** Rows of the records, by table. */
  rows: Record<string, number>;
  records: BackedUpFile;
  files: BackedUpFile[];
  /** Files that differed from the catalog when they were copied: `weir lake verify` tells more. */
  damaged: string[];
  /** Small files of the data folder that the records need, by name. */
  secrets: Record<string, string>;
}

export interface Snapshot {
  /** `2026-11-23T23-30-00-000Z`. */
  name: string;
  /** Null where it cannot be read. */
  manifest: Manifest | null;
}

/** Where the parts of a snapshot lie. */
export const recordsName = (snapshot: string): string => `snapshots/${snapshot}/records.ndjson.gz`;
export const manifestName = (snapshot: string): string => `snapshots/${snapshot}/manifest.json`;
export const segmentFileName = (name: string): string => `files/${name}`;

/** Sorts by time. */
export function snapshotNameOf(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[:.]/g, "-");
}

export function newManifest(facts: Omit<Manifest, "format">): Manifest {
  return { format: FORMAT, ...facts };
}

/** Names of the finished snapshots, oldest first. */
export function snapshotNames(kept: readonly Kept[]): string[] {
  return kept.flatMap(({ name }) => MANIFEST.exec(name)?.[1] ?? []).sort();
}

/** All finished snapshots, oldest first. */
export async function readSnapshots(place: Place): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = [];
  for (const name of snapshotNames(await place.list())) {
    snapshots.push({ name, manifest: await findManifest(place, name) });
  }
  return snapshots;
}

/** Null for one that `readManifest` cannot read. */
export async function findManifest(place: Place, name: string): Promise<Manifest | null> {
  try {
    return await readManifest(place, name);
  } catch (error) {
    if (error instanceof TerminalError && UNREADABLE.has(error.code)) return null;
    throw error;
  }
}

/** Throws TerminalError `backup_newer`, `backup_damaged`. */
export async function readManifest(place: Place, name: string): Promise<Manifest> {
  const manifest = parse(name, (await place.text(manifestName(name))) ?? "");
  if (manifest.format <= FORMAT) return manifest;
  throw new TerminalError("backup_newer", `snapshot ${name} was written by a newer Weir (${manifest.weir})`);
}

function parse(name: string, text: string): Manifest {
  let cause: unknown;
  try {
    const manifest: Manifest = JSON.parse(text);
    if (typeof manifest.format === "number") return manifest;
  } catch (error) {
    cause = error;
  }
  const problem = `the manifest of snapshot ${name} cannot be read: \`weir backup list\` shows which ones can`;
  throw new TerminalError("backup_damaged", problem, { cause });
}
