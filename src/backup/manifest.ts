import { TerminalError } from "../types/mod.ts";
import type { Kept, Place } from "./place.ts";

/** What this Weir writes, and the newest that it can read. */
const FORMAT = 1;
const MANIFEST = /^snapshots\/([0-9TZ-]+)\/manifest\.json$/;

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
  manifest: Manifest;
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

/** All finished snapshots, oldest first. Throws TerminalError `backup_newer`, `backup_damaged`. */
export async function readSnapshots(place: Place, kept: readonly Kept[]): Promise<Snapshot[]> {
  const names = kept.flatMap(({ name }) => MANIFEST.exec(name)?.[1] ?? []).sort();
  const snapshots: Snapshot[] = [];
  for (const name of names) {
    const text = await place.text(manifestName(name));
    if (text !== null) snapshots.push({ name, manifest: parse(name, text) });
  }
  return snapshots;
}

function parse(name: string, text: string): Manifest {
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text);
  } catch (cause) {
    throw new TerminalError("backup_damaged", `the manifest of snapshot ${name} cannot be read`, { cause });
  }
  if (typeof manifest.format !== "number" || manifest.format > FORMAT) {
    throw new TerminalError(
      "backup_newer",
      `snapshot ${name} was written by a newer Weir (${manifest.weir ?? "unknown"})`,
    );
  }
  return manifest as Manifest;
}
