import type { Catalog } from "../catalog/mod.ts";
import { type SegmentStore, sweepSpills } from "../storage/mod.ts";

/** A file without a record is left alone for this long: far longer than any transaction. */
const STRAY_AGE_MS = 3_600_000;

/** Removes files without readers: first marked dead by the catalog, then unlinked, then forgotten. */
export class Collector {
  constructor(
    private readonly catalog: Pick<Catalog, "collectable" | "forget" | "knownSegments">,
    private readonly store: SegmentStore,
  ) {}

  /** Returns how many segments were removed. */
  async collect(): Promise<number> {
    const ids = await this.catalog.collectable();
    for (const id of ids) await this.store.remove(id);
    if (ids.length > 0) await this.catalog.forget(ids);
    return ids.length;
  }

  /** Removes files that the catalog never knew or has forgotten, and what dead processes spilled. */
  async sweep(nowMs: number): Promise<number> {
    // The files first: a segment is registered before it is written.
    const files = (await this.store.list()).filter(({ part }) => part !== null);
    const known = await this.catalog.knownSegments();
    const isYoung = new Set(files.flatMap(({ id, changedAtMs }) => (nowMs - changedAtMs > STRAY_AGE_MS ? [] : [id])));
    const strays = new Set(files.flatMap(({ id }) => (known.has(id) || isYoung.has(id) ? [] : [id])));
    for (const id of strays) await this.store.remove(id);
    await sweepSpills(this.store.workDirectory);
    return strays.size;
  }
}
