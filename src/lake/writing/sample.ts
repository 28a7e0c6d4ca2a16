import { isJsonObject, type Json } from "../../types/mod.ts";
import type { ColumnType, KeyCount } from "../typed/mod.ts";

/** Rows that are looked at. */
const SAMPLE_ROWS = 2_000;

interface Sampled {
  event: string;
  /** JSON text. */
  properties: string;
}

/** What keys there are in the properties of events, from some of them. The same question as `countKeys` answers of files. */
export function sampleKeys(rows: readonly Sampled[], minEventRows: number): KeyCount[] {
  const events = new Map<string, { total: number; keys: Map<string, KeyCount["rows"]> }>();
  const step = Math.max(1, rows.length / SAMPLE_ROWS);
  for (let at = 0; at < rows.length; at += step) {
    const { event, properties } = rows[Math.floor(at)]!;
    const known = events.get(event) ?? { total: 0, keys: new Map<string, KeyCount["rows"]>() };
    events.set(event, known);
    known.total++;
    const value: Json = JSON.parse(properties);
    if (isJsonObject(value)) for (const [key, part] of Object.entries(value)) count(known.keys, key, part);
  }
  const found = new Map<string, KeyCount>();
  for (const { total, keys } of events.values()) {
    for (const [key, types] of keys) {
      const known = found.get(key) ?? { key, rows: { ...NO_ROWS }, share: 0 };
      found.set(key, known);
      for (const type of TYPES) known.rows[type] += types[type];
      known.share = Math.max(known.share, Math.max(...Object.values(types)) / Math.max(total, minEventRows));
    }
  }
  return [...found.values()];
}

const NO_ROWS: KeyCount["rows"] = { VARCHAR: 0, BOOLEAN: 0, BIGINT: 0, DOUBLE: 0 };
const TYPES = Object.keys(NO_ROWS) as ColumnType[];

function count(keys: Map<string, KeyCount["rows"]>, key: string, value: Json): void {
  const rows = keys.get(key) ?? { ...NO_ROWS };
  keys.set(key, rows);
  if (typeof value === "string") rows.VARCHAR++;
  else if (typeof value === "boolean") rows.BOOLEAN++;
  else if (typeof value === "number") {
    rows.DOUBLE++;
    if (Number.isSafeInteger(value)) rows.BIGINT++;
  }
}
