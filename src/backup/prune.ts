import { manifestName, recordsName, type Snapshot, segmentFileName } from "./manifest.ts";
import type { Place } from "./place.ts";

/** What no snapshot names may belong to a backup that another process is making; after this time it does not. */
const UNFINISHED_MS = 86_400_000;

/** Removes all but the newest snapshots, then the files that none of these names. Gives the names of the removed ones. */
export async function prune(
  place: Place,
  snapshots: readonly Snapshot[],
  keep: number,
  nowMs: number,
): Promise<string[]> {
  const byAge = [...snapshots].sort((a, b) => (a.name < b.name ? -1 : 1));
  const removed = byAge.slice(0, Math.max(0, byAge.length - keep));
  // The manifest first: a snapshot without it does not count, one that lacks files must not.
  for (const { name } of removed) {
    await place.remove(manifestName(name));
    await place.remove(recordsName(name));
  }
  const needed = new Set<string>();
  for (const { name, manifest } of byAge.slice(removed.length)) {
    needed.add(manifestName(name)).add(recordsName(name));
    for (const file of manifest.files) needed.add(segmentFileName(file.name));
  }
  const wasNamed = new Set(removed.flatMap(({ manifest }) => manifest.files.map((file) => segmentFileName(file.name))));
  for (const { name, changedAtMs } of await place.list()) {
    if (needed.has(name) || !/^(files|snapshots)\//.test(name)) continue;
    if (wasNamed.has(name) || nowMs - changedAtMs > UNFINISHED_MS) await place.remove(name);
  }
  return removed.map(({ name }) => name);
}
