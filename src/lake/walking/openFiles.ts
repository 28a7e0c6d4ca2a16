/**
 * What is open of files, by their locations: it stays open from one walk to the next. To map a file anew for each walk costs milliseconds, as does to
 * bring its pages to where they are looked at.
 */
export class OpenFiles<Opened> {
  private readonly files = new Map<string, Opened>();

  constructor(private readonly open: (location: string) => Opened) {}

  /** Errors are those of `open`. */
  get(location: string): Opened {
    const known = this.files.get(location);
    if (known !== undefined) return known;
    const opened = this.open(location);
    this.files.set(location, opened);
    return opened;
  }

  /** Those that are open now. */
  get locations(): string[] {
    return [...this.files.keys()];
  }

  /** Lets go of all others: the space of one that was removed is free only then. */
  keep(locations: readonly string[]): void {
    const kept = new Set(locations);
    for (const location of this.files.keys()) if (!kept.has(location)) this.files.delete(location);
  }
}
