import { assert } from "../../types/mod.ts";
import { type Scanner, sqlString, unsignedOf } from "../engine/mod.ts";
import { MAX_KINDS, MAX_ROWS } from "./journey.ts";

const WORD = 2 ** 32;
const MAX_SHORT_KINDS = 256;

/** What a journey says, by the place of the rows in their file. */
export interface RowColumns {
  /** Of the file of rows. */
  path: string;
  teamId: number;
  rowCount: number;
  /** Kinds of events in order: name and `person_mode`, and how many rows each has. */
  names: string[];
  modes: number[];
  counts: number[];
  persons: Uint32Array;
  /** Epoch ms of the first row; the times count from it: their lower 32 bits, and the upper ones where some row has any. */
  baseMs: number;
  low: Uint32Array;
  high: Uint32Array | null;
  /** Places among the kinds. */
  events: Uint8Array | Uint16Array;
}

/** SQL text of the table of a file's rows. */
export const rowsOf = (path: string): string => `read_parquet(${sqlString(path)}, file_row_number = true)`;

/** Reads a file of one project's numbered events. Null where it has more kinds of events or rows than a journey can hold. */
export async function readColumns(engine: Scanner, path: string): Promise<RowColumns | null> {
  const table = rowsOf(path);
  const [[teamId, rows, numbered, firstMs, lastMs] = []] = await engine.run(
    `select min(team_id), count(*), count(person_number), epoch_ms(min("timestamp")), epoch_ms(max("timestamp")) from ${table}`,
  );
  const rowCount = Number(rows);
  assert(numbered === rows, () => `${numbered} of ${rows} events in ${path} have the number of their person`);
  const found = await engine.run(
    `select event, person_mode, count(*) from ${table} group by all order by all limit ${MAX_KINDS + 1}`,
  );
  if (rowCount > MAX_ROWS || found.length > MAX_KINDS) return null;
  const baseMs = Number(firstMs);
  const columns: RowColumns = {
    path,
    teamId: Number(teamId),
    rowCount,
    names: found.map(([name]) => String(name)),
    modes: found.map(([, mode]) => Number(mode)),
    counts: found.map(([, , count]) => Number(count)),
    persons: new Uint32Array(rowCount),
    baseMs,
    low: new Uint32Array(rowCount),
    high: Number(lastMs) - baseMs < WORD ? null : new Uint32Array(rowCount),
    events: found.length <= MAX_SHORT_KINDS ? new Uint8Array(rowCount) : new Uint16Array(rowCount),
  };
  await fill(engine, columns);
  return columns;
}

async function fill(
  engine: Scanner,
  { path, rowCount, persons, baseMs, low, high, events }: RowColumns,
): Promise<void> {
  const table = rowsOf(path);
  const places = `(select event, person_mode, (row_number() over (order by event, person_mode) - 1)::uinteger as place
    from (select distinct event, person_mode from ${table}))`;
  const text = `select file_row_number::uinteger, person_number, epoch_ms("timestamp") - ${baseMs}::bigint, place
    from ${table} join ${places} using (event, person_mode)`;
  await engine.scan(text, rowCount, (chunk) => {
    const [rows, person, time, place] = [
      unsignedOf(chunk, 0),
      unsignedOf(chunk, 1),
      unsignedOf(chunk, 2, 2),
      unsignedOf(chunk, 3),
    ];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      persons[row] = person[i]!;
      low[row] = time[2 * i]!;
      if (high !== null) high[row] = time[2 * i + 1]!;
      events[row] = place[i]!;
    }
  });
}

/** Milliseconds since `baseMs`. */
export function offsetMs({ low, high }: RowColumns, row: number): number {
  return low[row]! + (high === null ? 0 : high[row]! * WORD);
}
