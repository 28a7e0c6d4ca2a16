import { FOUND_ROWS, type Found, type FoundColumn } from "./found.ts";

/** A row for each edge, or several that are added up. */
export class PathsFound implements Found {
  rowCount = 0;
  readonly place = new Uint8Array(FOUND_ROWS);
  readonly before = new Uint32Array(FOUND_ROWS);
  readonly item = new Uint32Array(FOUND_ROWS);
  readonly value = new Uint32Array(FOUND_ROWS);
  readonly total = new Float64Array(FOUND_ROWS);
  readonly columns: readonly FoundColumn[] = [
    { name: "place", kind: "number", values: this.place },
    { name: "before", kind: "text", values: this.before },
    { name: "item", kind: "text", values: this.item },
    { name: "value", kind: "sum", values: this.value },
    { name: "total", kind: "sum", values: this.total },
  ];
}
