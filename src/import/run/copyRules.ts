import type { ImportedEvent, Stage } from "../types.ts";
import { uuidOf } from "../uuid.ts";

/** Whether identical rows of a stage are told apart. */
export function numbersCopies({ numbersCopies: rule = false }: Stage<unknown>, options: unknown): boolean {
  return typeof rule === "boolean" ? rule : rule(options);
}

/** Whether rows of a stage ask for firsts. */
export function asksForFirsts({ asksForFirsts: rule }: Stage<unknown>, options: unknown): boolean {
  return typeof rule === "boolean" ? rule : rule(options);
}

/** The uuid of the copy that so many equal rows come before. */
export function uuidOfCopy({ uuid }: ImportedEvent, ordinal: number): string {
  return ordinal === 0 ? uuid : uuidOf("weir/copy", uuid, ordinal);
}
