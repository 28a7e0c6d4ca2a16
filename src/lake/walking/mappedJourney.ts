import type { Journey } from "../journeys/mod.ts";

/** What a walk reads of a journey. */
export type JourneyColumns = Pick<Journey, "rowCount" | "baseMs" | ColumnName>;

const COLUMNS = ["persons", "starts", "offsetsMs", "events", "rows"] as const;
type ColumnName = (typeof COLUMNS)[number];

const KINDS = { Uint8Array, Uint16Array, Uint32Array, Float64Array };
type Kind = keyof typeof KINDS;

/** A journey as another thread can map it: where its columns lie in the file. */
export interface MappedJourney extends Pick<Journey, "rowCount" | "baseMs"> {
  location: string;
  columns: Record<ColumnName, { kind: Kind; offset: number; length: number }>;
}

/** `journey`: its columns are views of the file's bytes. */
export function mappingOf(location: string, journey: Journey): MappedJourney {
  const { rowCount, baseMs } = journey;
  const columns = COLUMNS.map((name) => {
    const column = journey[name];
    return [name, { kind: column.constructor.name as Kind, offset: column.byteOffset, length: column.length }];
  });
  return { location, rowCount, baseMs, columns: Object.fromEntries(columns) };
}

/** The columns, in the bytes of the file. */
export function viewed({ rowCount, baseMs, columns }: MappedJourney, buffer: ArrayBuffer): JourneyColumns {
  const views = COLUMNS.map((name) => {
    const { kind, offset, length } = columns[name];
    return [name, new KINDS[kind](buffer, offset, length)];
  });
  return { rowCount, baseMs, ...Object.fromEntries(views) };
}
