export { foreignRows } from "./parquet.ts";
