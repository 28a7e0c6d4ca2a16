import { findManifest, manifestName, recordsName, segmentFileName, snapshotNames } from "./manifest.ts";
import type { Place } from "./place.ts";

/** What a backup puts into a place; what else lies there is not touched. */
const OWN = /^(files|snapshots)\//;

interface PruneParts {
  place: Place;
  /** Snapshots that stay. */
  keep: number;
  signal: AbortSignal;
  /** Is given those that stay and cannot be read. */
  unreadable: Set<string>;
}

/**
 * Removes all but the newest snapshots, then every file that none of these names: no other backup may be at work. Gives the names of
 * the removed snapshots. While the manifest of one that stays cannot be read, nobody knows its files, and nothing is removed.
 */
export async function prune({ place, keep, signal, unreadable }: PruneParts): Promise<string[]> {
  const kept = await place.list();
  const names = snapshotNames(kept);
  const removed = names.slice(0, Math.max(0, names.length - keep));
  const staying = names.slice(removed.length);
  const needed = new Set<string>();
  for (const name of staying) {
    const manifest = await findManifest(place, name);
    if (manifest === null) unreadable.add(name);
    needed.add(manifestName(name)).add(recordsName(name));
    for (const file of manifest?.files ?? []) needed.add(segmentFileName(file.name));
  }
  if (staying.some((name) => unreadable.has(name))) return [];
  const unneeded = kept.map(({ name }) => name).filter((name) => OWN.test(name) && !needed.has(name));
  // The manifests first: a snapshot without one does not count, one that lacks files must not.
  for (const name of new Set([...removed.map(manifestName), ...unneeded])) {
    signal.throwIfAborted();
    await place.remove(name);
  }
  return removed;
}
