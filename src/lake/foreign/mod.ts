export { type ForeignRows, foreignRows } from "./parquet.ts";
