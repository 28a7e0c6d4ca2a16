/** First in, first out for each project, and projects in turn: the project with the fewest running items goes first. */
export class FairQueue<T extends { teamId: number }> {
  private readonly waiting = new Map<number, T[]>();
  private readonly runningOf = new Map<number, number>();
  /** Larger: served more recently. */
  private readonly servedAt = new Map<number, number>();
  private turn = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** Items of a project that wait. */
  waitingOf(teamId: number): number {
    return this.waiting.get(teamId)?.length ?? 0;
  }

  /** Whether a project waits of which nothing is running. */
  get hasStarved(): boolean {
    for (const teamId of this.waiting.keys()) if (!this.runningOf.has(teamId)) return true;
    return false;
  }

  add(item: T): void {
    this.waiting.getOrInsertComputed(item.teamId, () => []).push(item);
    this.count++;
  }

  /** Takes the next item of a project with fewer than `maxRunning` running; `done` must follow. */
  take(maxRunning = Number.POSITIVE_INFINITY): T | undefined {
    let best: T | undefined;
    for (const [first] of this.waiting.values()) {
      if (first !== undefined && (best === undefined || this.isBefore(first.teamId, best.teamId))) best = first;
    }
    if (best === undefined || (this.runningOf.get(best.teamId) ?? 0) >= maxRunning) return undefined;
    this.remove(best);
    this.servedAt.set(best.teamId, ++this.turn);
    this.runningOf.set(best.teamId, (this.runningOf.get(best.teamId) ?? 0) + 1);
    return best;
  }

  /** An item that was taken has ended. */
  done(teamId: number): void {
    const running = (this.runningOf.get(teamId) ?? 0) - 1;
    if (running > 0) this.runningOf.set(teamId, running);
    else this.runningOf.delete(teamId);
    if (running === 0 && !this.waiting.has(teamId)) this.servedAt.delete(teamId);
  }

  /** Takes a waiting item out; false when it does not wait. */
  remove(item: T): boolean {
    const items = this.waiting.get(item.teamId);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at === -1) return false;
    items.splice(at, 1);
    if (items.length === 0) this.waiting.delete(item.teamId);
    this.count--;
    return true;
  }

  /** Takes all waiting items out. */
  clear(): T[] {
    const items = [...this.waiting.values()].flat();
    this.waiting.clear();
    this.count = 0;
    return items;
  }

  private isBefore(a: number, b: number): boolean {
    const difference = (this.runningOf.get(a) ?? 0) - (this.runningOf.get(b) ?? 0);
    return difference < 0 || (difference === 0 && (this.servedAt.get(a) ?? 0) < (this.servedAt.get(b) ?? 0));
  }
}
