import { open } from "node:fs/promises";
import type { Scanner } from "../engine/mod.ts";
import { draftPath } from "../storage/mod.ts";
import type { Journey } from "./journey.ts";
import { journeyParts } from "./journeyFile.ts";
import { orderOf } from "./order.ts";
import { offsetMs, type RowColumns, readColumns } from "./rowColumns.ts";
import { eachTie, tieOrder } from "./ties.ts";

/** Writes the journey beside the numbered events of one project. */
export class JourneyWriter {
  constructor(
    private readonly workDirectory: string,
    private readonly engine: Scanner,
  ) {}

  /** Writes a draft, from the draft of the rows. False, and no file, where they are more than a journey can hold. */
  async write(id: string): Promise<boolean> {
    const columns = await readColumns(this.engine, draftPath(this.workDirectory, { id, part: "rows" }));
    if (columns === null) return false;
    const parts = journeyParts(columns.teamId, await this.journeyOf(columns));
    const file = await open(draftPath(this.workDirectory, { id, part: "journey" }), "w");
    try {
      for (const part of parts) {
        for (let at = 0; at < part.length; ) at += (await file.write(part, at)).bytesWritten;
      }
    } finally {
      await file.close();
    }
    return true;
  }

  private async journeyOf(columns: RowColumns): Promise<Journey> {
    const { rowCount, names, modes, counts, baseMs } = columns;
    const { rows, spare } = await orderOf(columns);
    const offsetsMs = columns.high === null ? spare : new Float64Array(rowCount);
    for (let i = 0; i < rowCount; i++) offsetsMs[i] = offsetMs(columns, rows[i]!);
    const directory = directoryOf(rows, columns);
    const ordered = { ...directory, offsetsMs, rows };
    const order = await tieOrder(this.engine, columns.path, ordered);
    if (order !== null) eachTie(ordered, (from, to) => rows.subarray(from, to).sort(order));
    const events = columns.events.slice();
    for (let i = 0; i < rowCount; i++) events[i] = columns.events[rows[i]!]!;
    return { rowCount, names, modes, counts, ...directory, baseMs, offsetsMs, events, rows };
  }
}

/** The persons of rows that are in order, and where those of each begin. */
function directoryOf(rows: Uint32Array, columns: RowColumns): Pick<Journey, "persons" | "starts"> {
  const persons: number[] = [];
  const starts: number[] = [];
  let before = -1;
  for (let i = 0; i < rows.length; i++) {
    const person = columns.persons[rows[i]!]!;
    if (person === before) continue;
    persons.push(person);
    starts.push(i);
    before = person;
  }
  starts.push(rows.length);
  return { persons: Uint32Array.from(persons), starts: Uint32Array.from(starts) };
}
