import type { EdgeCounts } from "./edgeCounts.ts";
import type { PathsProgram } from "./program.ts";

/** Which steps of a path count, and where they stand: it counts the edges between them. */
export interface PathPart {
  /** The next step of the path. */
  step(item: number, us: number, isPoint: boolean): void;
  /** The path is over. */
  end(): void;
}

export function pathPart({ stepLimit, point }: PathsProgram, edges: EdgeCounts): PathPart {
  return point === "end" ? new PathUpTo(stepLimit, edges) : new PathAfter(stepLimit, edges, point === null);
}

/** The first steps, or those from the first point on. */
class PathAfter implements PathPart {
  private place = 0;
  private before = 0;
  private beforeUs = 0;

  constructor(
    private readonly stepLimit: number,
    private readonly edges: EdgeCounts,
    private readonly isWhole: boolean,
  ) {}

  step(item: number, us: number, isPoint: boolean): void {
    if (this.place === this.stepLimit || (this.place === 0 && !isPoint && !this.isWhole)) return;
    this.place++;
    if (this.place > 1) this.edges.add(this.place, this.before, item, (us - this.beforeUs) / 1000);
    this.before = item;
    this.beforeUs = us;
  }

  end(): void {
    this.place = 0;
  }
}

/** The last steps up to the first point. */
class PathUpTo implements PathPart {
  /** The last ones, by their numbers modulo the limit. */
  private readonly items: Uint32Array;
  private readonly us: Float64Array;
  private count = 0;
  private isOver = false;

  constructor(
    private readonly stepLimit: number,
    private readonly edges: EdgeCounts,
  ) {
    this.items = new Uint32Array(stepLimit);
    this.us = new Float64Array(stepLimit);
  }

  step(item: number, us: number, isPoint: boolean): void {
    if (this.isOver) return;
    const at = this.count++ % this.stepLimit;
    this.items[at] = item;
    this.us[at] = us;
    if (!isPoint) return;
    this.isOver = true;
    this.countAll();
  }

  end(): void {
    this.count = 0;
    this.isOver = false;
  }

  private countAll(): void {
    const { stepLimit, items, us, edges, count } = this;
    const first = Math.max(0, count - stepLimit);
    for (let number = first + 1; number < count; number++) {
      const before = (number - 1) % stepLimit;
      const at = number % stepLimit;
      edges.add(number - first + 1, items[before]!, items[at]!, (us[at]! - us[before]!) / 1000);
    }
  }
}
