import { FOUND_ROWS, type Found, type FoundColumn } from "./found.ts";
import type { FunnelProgram } from "./program.ts";
import type { Part } from "./walker.ts";

/** Takes what a funnel's walk finds. */
export interface FunnelSink {
  readonly found: Found;
  /** An attempt that counts. `times`: of its steps, in microseconds, NaN where one was not done; only lent. */
  add(actor: number, value: number, bucket: number, reached: number, times: Float64Array): void;
  /** What was counted and not given, once all that is full was. */
  part(): Part;
  /** Adds what another sink has counted. */
  addPart(part: Part): void;
  /** There are no more. */
  end(): void;
}

/** A row for each attempt that counts. */
export class FunnelFound implements Found, FunnelSink {
  rowCount = 0;
  readonly found = this;
  readonly actor = new Uint32Array(FOUND_ROWS);
  readonly value = new Uint32Array(FOUND_ROWS);
  readonly bucket = new Int32Array(FOUND_ROWS);
  readonly reached = new Uint8Array(FOUND_ROWS);
  readonly times: Float64Array[];
  readonly columns: readonly FoundColumn[];

  constructor(
    { steps, attribution, bucketStartsMs }: FunnelProgram,
    private readonly give: (found: FunnelFound) => void,
  ) {
    this.times = Array.from({ length: steps }, () => new Float64Array(FOUND_ROWS));
    this.columns = [
      { name: "actor", kind: "actor", values: this.actor },
      ...(attribution === null ? [] : [{ name: "value", kind: "value" as const, values: this.value }]),
      ...(bucketStartsMs === null ? [] : [{ name: "bucket", kind: "number" as const, values: this.bucket }]),
      { name: "reached", kind: "number", values: this.reached },
      ...this.times.map((values, step): FoundColumn => ({ name: `t${step}`, kind: "instant", values })),
    ];
  }

  add(actor: number, value: number, bucket: number, reached: number, times: Float64Array): void {
    const row = this.rowCount++;
    this.actor[row] = actor;
    this.value[row] = value;
    this.bucket[row] = bucket;
    this.reached[row] = reached;
    for (let step = 0; step < times.length; step++) this.times[step]![row] = times[step]!;
    if (this.rowCount === FOUND_ROWS) this.giveAll();
  }

  part(): Part {
    this.giveAll();
    return [];
  }

  addPart(): void {}

  end(): void {
    this.giveAll();
  }

  private giveAll(): void {
    if (this.rowCount > 0) this.give(this);
    this.rowCount = 0;
  }
}
