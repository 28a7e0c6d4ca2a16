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
    const { rowCount, names, counts, baseMs } = columns;
    const { rows, spare } = await orderOf(columns);
    const order = await tieOrder(this.engine, columns, rows, spare);
    if (order !== null) eachTie(rows, columns, (from, to) => rows.subarray(from, to).sort(order));
    const offsetsMs = columns.high === null ? spare : new Float64Array(rowCount);
    const events = columns.events.length === 0 ? columns.events : columns.events.slice();
    for (let i = 0; i < rowCount; i++) {
      const row = rows[i]!;
      offsetsMs[i] = offsetMs(columns, row);
      events[i] = columns.events[row]!;
    }
    return { rowCount, names, counts, ...directoryOf(rows, columns), baseMs, offsetsMs, events, rows };
  }
}

/** The persons of rows that are in order, and where those of each begin. */
function directoryOf(rows: Uint32Array, { persons }: RowColumns): Pick<Journey, "persons" | "starts"> {
  let count = 0;
  const isFirst = (i: number) => i === 0 || persons[rows[i]!] !== persons[rows[i - 1]!];
  for (let i = 0; i < rows.length; i++) if (isFirst(i)) count++;
  const directory = { persons: new Uint32Array(count), starts: new Uint32Array(count + 1) };
  let at = 0;
  for (let i = 0; i < rows.length; i++) {
    if (!isFirst(i)) continue;
    directory.persons[at] = persons[rows[i]!]!;
    directory.starts[at++] = i;
  }
  directory.starts[count] = rows.length;
  return directory;
}
