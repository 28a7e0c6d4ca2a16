import type { Catalog } from "../catalog/mod.ts";
import { listSegmentFiles, removeSegmentFiles, sweepSpills } from "../storage/mod.ts";

/** A file without a record is left alone for this long: far longer than any transaction. */
const STRAY_AGE_MS = 3_600_000;

/** Removes files that nobody can need any more: first marked dead by the catalog, then unlinked, then forgotten. */
export class Collector {
  constructor(
    private readonly catalog: Pick<Catalog, "collectable" | "forget" | "knownSegments">,
    private readonly directory: string,
  ) {}

  /** Returns how many segments were removed. */
  async collect(): Promise<number> {
    const ids = await this.catalog.collectable();
    for (const id of ids) await removeSegmentFiles(this.directory, id);
    if (ids.length > 0) await this.catalog.forget(ids);
    return ids.length;
  }

  /** Removes files that the catalog never knew or has forgotten, and what dead processes spilled. */
  async sweep(nowMs: number): Promise<number> {
    // The folder first: a segment is registered before it is written.
    const files = await listSegmentFiles(this.directory);
    const known = await this.catalog.knownSegments();
    const strays = [...files].filter(([id, changedAtMs]) => !known.has(id) && nowMs - changedAtMs > STRAY_AGE_MS);
    for (const [id] of strays) await removeSegmentFiles(this.directory, id);
    await sweepSpills(this.directory);
    return strays.length;
  }
}
