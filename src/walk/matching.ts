import type { Instant } from "./instant.ts";

/** Which event of an instant does which step: each event one, each step once. */
export class Matching {
  /** Of each step: the kind of its event; -1 without one. */
  private kindOf = new Int32Array(32);
  private used = new Int32Array(8);
  private looked = new Uint8Array(8);
  private instant!: Instant;

  begin(instant: Instant): void {
    this.instant = instant;
    this.kindOf.fill(-1);
    if (this.used.length < instant.kinds) {
      this.used = new Int32Array(instant.kinds * 2);
      this.looked = new Uint8Array(instant.kinds * 2);
    }
    this.used.fill(0);
  }

  /** Gives the step an event, if need be by giving other steps others. False, and nothing has changed, where that cannot be. */
  add(step: number): boolean {
    this.looked.fill(0, 0, this.instant.kinds);
    return this.give(step);
  }

  /** The same, to be changed without changing this one. */
  copy(): Matching {
    const copy = new Matching();
    copy.instant = this.instant;
    copy.kindOf = this.kindOf.slice();
    copy.used = this.used.slice();
    copy.looked = new Uint8Array(this.looked.length);
    return copy;
  }

  private give(step: number): boolean {
    const { kinds, steps, counts } = this.instant;
    for (let kind = 0; kind < kinds; kind++) {
      if (((steps[kind]! >> step) & 1) === 0 || this.looked[kind] === 1) continue;
      this.looked[kind] = 1;
      if (this.used[kind]! < counts[kind]!) {
        this.used[kind]!++;
        this.kindOf[step] = kind;
        return true;
      }
      if (this.free(kind)) {
        this.kindOf[step] = kind;
        return true;
      }
    }
    return false;
  }

  /** Takes an event of the kind from a step that can do with another. */
  private free(kind: number): boolean {
    for (let other = 0; other < this.kindOf.length; other++) {
      if (this.kindOf[other] === kind && this.give(other)) return true;
    }
    return false;
  }
}
