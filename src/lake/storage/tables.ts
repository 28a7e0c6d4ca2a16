import { sqlString } from "../engine/mod.ts";
import { rowsPath } from "./files.ts";

/** SQL text of the list of these segments' files. */
export function fileList(directory: string, segments: readonly { id: string }[]): string {
  return `[${segments.map(({ id }) => sqlString(rowsPath(directory, id))).join(", ")}]`;
}

/** SQL text of the table that they are together. */
export function tableOf(directory: string, segments: readonly { id: string }[]): string {
  return `read_parquet(${fileList(directory, segments)})`;
}
