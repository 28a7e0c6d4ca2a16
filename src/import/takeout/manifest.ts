import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isJsonObject, type Json, TerminalError } from "../../types/mod.ts";

/** What events and persons are in. */
export type TakeoutFormat = "Parquet" | "JSONLines";

export interface TakeoutFile {
  /** Below the folder. */
  name: string;
  bytes: number;
  /** Of its content, hexadecimal. */
  sha256: string;
  /** Rows, or objects. */
  records: number;
}

/** A range of acceptance times whose rows are all there. */
export interface TakeoutRange {
  model: "events" | "persons";
  /** ISO 8601; the end is not part of it. */
  from: string;
  to: string;
  files: TakeoutFile[];
}

/** What a folder has, as its `manifest.json` says. */
export interface Manifest {
  kind: "weir takeout";
  version: 1;
  /** Where it comes from. */
  url: string;
  project: string;
  name: string;
  format: TakeoutFormat;
  /** The times that were asked for; null for none. */
  asked: { from: string | null; to: string | null };
  /** Acceptance times, ISO 8601; the end is not part of it. */
  from: string;
  to: string;
  ranges: TakeoutRange[];
  /** Files of objects and groups. */
  others: TakeoutFile[];
  /** Events and persons in all. */
  counts: { events: number; persons: number };
  isComplete: boolean;
}

export const MANIFEST = "manifest.json";

/** Null where there is none. Throws TerminalError `takeout_unknown`. */
export function readManifest(folder: string): Manifest | null {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return null;
  let read: Json = null;
  try {
    read = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Told below.
  }
  if (!isJsonObject(read) || read.kind !== "weir takeout" || read.version !== 1) {
    throw new TerminalError("takeout_unknown", `${path} is no manifest of \`weir export\`.`);
  }
  return read as unknown as Manifest;
}

/** Whole or not at all. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const ranges = manifest.ranges.flatMap(({ model, files }) => files.map(({ records }) => ({ model, records })));
  const count = (wanted: string) =>
    ranges.reduce((sum, { model, records }) => sum + (model === wanted ? records : 0), 0);
  manifest.counts = { events: count("events"), persons: count("persons") };
  await writeWhole(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Written aside, synced and renamed. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.new`;
  const file = await open(aside, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
}
