import { FOUND_ROWS, type Found, type FoundColumn } from "./found.ts";
import type { FunnelProgram } from "./program.ts";

/** A row for each attempt that counts. */
export class FunnelFound implements Found {
  rowCount = 0;
  readonly actor = new Uint32Array(FOUND_ROWS);
  readonly value = new Uint32Array(FOUND_ROWS);
  readonly bucket = new Int32Array(FOUND_ROWS);
  readonly reached = new Uint8Array(FOUND_ROWS);
  readonly times: Float64Array[];
  readonly columns: readonly FoundColumn[];

  constructor({ steps, attribution, bucketStartsMs }: FunnelProgram) {
    this.times = Array.from({ length: steps }, () => new Float64Array(FOUND_ROWS));
    this.columns = [
      { name: "actor", kind: "actor", values: this.actor },
      ...(attribution === null ? [] : [{ name: "value", kind: "value" as const, values: this.value }]),
      ...(bucketStartsMs === null ? [] : [{ name: "bucket", kind: "number" as const, values: this.bucket }]),
      { name: "reached", kind: "number", values: this.reached },
      ...this.times.map((values, step): FoundColumn => ({ name: `t${step}`, kind: "instant", values })),
    ];
  }
}
