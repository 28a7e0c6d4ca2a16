/** Jobs of others that a kind of work waits for at most. */
const PATIENCE = 8;

/** Kinds of work in the order of their urgency, but so that none of them waits for ever behind those that never end. */
export class Turns<Kind extends string> {
  private readonly waited: Map<Kind, number>;

  /** The most urgent first. */
  constructor(kinds: readonly Kind[]) {
    this.waited = new Map(kinds.map((kind) => [kind, 0]));
  }

  /** In which order to look for work now: first what has waited long enough. */
  order(): Kind[] {
    const kinds = [...this.waited.keys()];
    const isLong = (kind: Kind) => this.waited.get(kind)! >= PATIENCE;
    return [...kinds.filter(isLong), ...kinds.filter((kind) => !isLong(kind))];
  }

  /** Nothing is to be done of this kind. */
  idle(kind: Kind): void {
    this.waited.set(kind, 0);
  }

  /** A job of this kind is done next. */
  took(kind: Kind): void {
    for (const [other, jobs] of this.waited) this.waited.set(other, other === kind ? 0 : jobs + 1);
  }
}
