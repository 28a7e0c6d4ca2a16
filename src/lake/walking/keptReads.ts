/** What walks have read of files, which do not change, for the next ones. Least recently used reads go first. */
export class KeptReads<Read extends { sizeBytes: number }> {
  private readonly known = new Map<string, Read>();
  private sizeBytes = 0;
  /** How often others were asked for, and which are not to be kept. */
  private readonly asks = new Map<string, number>();
  private readonly never = new Set<string>();

  constructor(private readonly o: { mostBytes: number; asksBeforeKept: number }) {}

  /**
   * What is said by these files about `key`, for which `read` may be called; null where it is not known. It is read once it was asked for
   * `asksBeforeKept` times. Errors are those of `read`.
   */
  async of(key: string, locations: readonly string[], read: () => Promise<Read | null>): Promise<Read | null> {
    const name = JSON.stringify([key, locations]);
    const known = this.known.get(name);
    if (known !== undefined) {
      this.known.delete(name);
      this.known.set(name, known);
      return known;
    }
    const asks = this.asks.get(name) ?? 0;
    if (this.never.has(key) || asks < this.o.asksBeforeKept) {
      this.asks.set(name, asks + 1);
      bound(this.asks);
      return null;
    }
    const made = await read();
    if (made === null || made.sizeBytes > this.o.mostBytes) bound(this.never.add(key));
    else this.keep(name, made);
    return made;
  }

  private keep(name: string, read: Read): void {
    this.known.set(name, read);
    this.sizeBytes += read.sizeBytes;
    for (const [oldest, { sizeBytes }] of this.known) {
      if (this.sizeBytes <= this.o.mostBytes) return;
      this.known.delete(oldest);
      this.sizeBytes -= sizeBytes;
    }
  }
}

const MOST_REMEMBERED = 1_000;

/** Forgets the oldest. */
function bound(names: Map<string, number> | Set<string>): void {
  const [oldest] = names.keys();
  if (names.size > MOST_REMEMBERED) names.delete(oldest!);
}
