import { membersOf } from "../json/mod.ts";
import type { FirstRow, PropertyRow } from "../types/mod.ts";
import { initialKey } from "./automatic.ts";

/** Strings without escapes, booleans and small integers: every reader writes them alike. Other values get a row each. */
const PLAIN = /^(?:"[^"\\]*"|true|false|0|-?[1-9]\d{0,14})$/;

/** Whether a value, as JSON text, may be in a `FirstRow`. */
export function isPlainValue(json: string): boolean {
  return PLAIN.test(json);
}

/** A row of first values as one row for each property. */
export function expandFirst({ kind, teamId, subject, version, values }: FirstRow): PropertyRow[] {
  const said = { kind: "property", teamId, subject, version } as const;
  return [...membersOf(values)].flatMap(([key, value]): PropertyRow[] => {
    const once: PropertyRow = { ...said, op: "once", key: initialKey(key), value };
    return kind === "first" ? [{ ...said, op: "set", key, value }, once] : [once];
  });
}
