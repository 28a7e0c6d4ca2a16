import type { CheckedEvent, DuplicateIndex, Erasure, LiveSegment, OwnedPartitions, SegmentFacts } from "../lake/mod.ts";

/** What is known of duplicates, for flushes that run side by side: none sees the index of another's list of segments. */
export class DuplicateView {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly index: Pick<DuplicateIndex, "adopt" | "check" | "sync">) {}

  /** Marks with 1 what is stored already or comes twice, by the live segments as they are when its turn has come. */
  mark(
    events: readonly CheckedEvent[],
    now: { segments(): Promise<LiveSegment[]>; owned: OwnedPartitions; erasures(): readonly Erasure[] },
  ): Promise<Uint8Array> {
    return this.inTurn(async () => {
      await this.index.sync(await now.segments(), now.owned, now.erasures());
      return this.index.check(events);
    });
  }

  /** After the confirmed commit of a segment that this worker wrote. */
  adopt(segment: SegmentFacts): Promise<void> {
    return this.inTurn(() => this.index.adopt(segment));
  }

  private inTurn<T>(body: () => Promise<T>): Promise<T> {
    const done = this.last.then(body);
    this.last = done.catch(() => {});
    return done;
  }
}
