import type {
  Catalog,
  CheckedEvent,
  DuplicateIndex,
  Erasure,
  LiveSegment,
  OwnedPartitions,
  SegmentFacts,
} from "../lake/mod.ts";

/** What the index is to follow, as it is at the time of asking. */
interface Now {
  segments(): Promise<LiveSegment[]>;
  owned: OwnedPartitions;
  erasures(): readonly Erasure[];
}

/** What is known of duplicates, for flushes that run side by side: none sees the index of another's list of segments. */
export class DuplicateView {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly index: Pick<DuplicateIndex, "adopt" | "check" | "sync">) {}

  /** Marks with 1 what is stored already or comes twice, by the live segments as they are when its turn has come. */
  mark(events: readonly CheckedEvent[], now: Now): Promise<Uint8Array> {
    return this.inTurn(async () => {
      await this.sync(now);
      return this.index.check(events);
    });
  }

  /** Lets go of what was compacted. */
  refresh(now: Now): Promise<void> {
    return this.inTurn(() => this.sync(now));
  }

  /** After the confirmed commit of a segment that this worker wrote. */
  adopt(segment: SegmentFacts): Promise<void> {
    return this.inTurn(() => this.index.adopt(segment));
  }

  private async sync({ segments, owned, erasures }: Now): Promise<void> {
    await this.index.sync(await segments(), owned, erasures());
  }

  private inTurn<T>(body: () => Promise<T>): Promise<T> {
    const done = this.last.then(body);
    this.last = done.catch(() => {});
    return done;
  }
}

/** The live segments of events as the catalog had them at the last refresh. */
export class SegmentView {
  private readonly byId = new Map<string, LiveSegment>();
  private version = 0;

  constructor(private readonly catalog: Catalog) {}

  async refresh(): Promise<LiveSegment[]> {
    const changes = await this.catalog.segmentChanges(this.version);
    for (const id of this.byId.keys()) if (!changes.liveIds.has(id)) this.byId.delete(id);
    for (const segment of changes.added) if (segment.kind === "events") this.byId.set(segment.id, segment);
    this.version = changes.version;
    return [...this.byId.values()];
  }
}
