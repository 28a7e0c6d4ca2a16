import { basename } from "node:path";
import type { SnapshotSegment } from "../catalog/mod.ts";
import type { Session } from "../engine/mod.ts";
import { type Locator, tableOf } from "../storage/mod.ts";

/** Files whose times are remembered. */
const REMEMBERED = 100_000;
/** Files that one statement reads. */
const FILES_AT_ONCE = 256;

interface Times {
  firstMs: number;
  lastMs: number;
}

/**
 * When the events of a file were accepted: the catalog knows their own times only. A file never changes, so each is asked once, for
 * one small column.
 */
export class CreatedTimes {
  private readonly known = new Map<string, Times>();

  constructor(private readonly store: Locator) {}

  /** Those of the files that can hold events of the interval. */
  async within(
    session: Session,
    segments: readonly SnapshotSegment[],
    { fromMs, toMs }: { fromMs: number | null; toMs: number },
  ): Promise<SnapshotSegment[]> {
    const unknown = segments.filter(({ id }) => !this.known.has(id));
    for (let i = 0; i < unknown.length; i += FILES_AT_ONCE)
      await this.learn(session, unknown.slice(i, i + FILES_AT_ONCE));
    return segments.filter(({ id }) => {
      const times = this.known.get(id);
      return times === undefined || ((fromMs === null || times.lastMs >= fromMs) && times.firstMs < toMs);
    });
  }

  private async learn(session: Session, segments: readonly SnapshotSegment[]): Promise<void> {
    const ids = new Map(segments.map(({ id }) => [basename(this.store.locate({ id, part: "rows" })), id]));
    const rows = await session.run(`select filename, epoch_ms(min(created_at)), epoch_ms(max(created_at))
      from ${tableOf(this.store, segments, { isNamed: true })} group by filename`);
    for (const [path, first, last] of rows) {
      const id = ids.get(basename(String(path)));
      if (id !== undefined) this.known.set(id, { firstMs: Number(first), lastMs: Number(last) });
    }
    for (const id of this.known.keys()) {
      if (this.known.size <= REMEMBERED) break;
      this.known.delete(id);
    }
  }
}
