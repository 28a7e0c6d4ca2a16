import type { Scanner } from "../engine/mod.ts";
import type { Journey } from "./journey.ts";
import { journeyProject, openJourney } from "./journeyFile.ts";
import { offsetMs, type RowColumns, readColumns } from "./rowColumns.ts";
import { eachTie, tieOrder } from "./ties.ts";

/**
 * How a journey differs from its rows, or null: each row must be in it once, under its person, time and name, in
 * order. `path`: of the rows. Throws TerminalError `journey_unreadable`.
 */
export async function journeyProblem(engine: Scanner, path: string, bytes: Uint8Array): Promise<string | null> {
  const journey = openJourney(bytes);
  const columns = await readColumns(engine, path);
  if (columns === null) return "there are more rows or kinds of events than a journey can hold";
  if (journeyProject(bytes) !== columns.teamId) return `of another project than ${columns.teamId}`;
  if (journey.rowCount !== columns.rowCount) return `of ${journey.rowCount} rows, not ${columns.rowCount}`;
  if (!agree(journey, columns)) return "other kinds of events, or other numbers of their rows";
  const wrong = firstWrong(journey, columns);
  if (wrong !== null) return `place ${wrong} is not that of a row, or not in order`;
  const order = await tieOrder(engine, path, journey);
  let unordered = 0;
  if (order !== null) {
    eachTie(journey, (from, to) => {
      for (let i = from + 1; i < to; i++) if (order(journey.rows[i - 1]!, journey.rows[i]!) > 0) unordered++;
    });
  }
  return unordered === 0 ? null : `${unordered} rows of one time are not in order of their uuids`;
}

function agree({ names, modes, counts }: Journey, columns: RowColumns): boolean {
  return Bun.deepEquals([names, modes, counts], [columns.names, columns.modes, columns.counts]);
}

/** The first place in a journey of the same kinds whose person, row, time or kind is wrong; null where there is none. */
function firstWrong(journey: Journey, columns: RowColumns): number | null {
  const { persons, starts, offsetsMs, events, rows } = journey;
  const isSeen = new Uint8Array(columns.rowCount);
  const shiftMs = journey.baseMs - columns.baseMs;
  for (let at = 0, place = 0; at < persons.length; at++) {
    const end = starts[at + 1]!;
    if (starts[at] !== place || end <= place || (at > 0 && persons[at]! <= persons[at - 1]!)) return place;
    for (let beforeMs = Number.NEGATIVE_INFINITY; place < end; place++) {
      const row = rows[place]!;
      const ms = offsetsMs[place]! + shiftMs;
      if (!(row < columns.rowCount) || isSeen[row] === 1 || columns.persons[row] !== persons[at]) return place;
      if (ms < beforeMs || ms !== offsetMs(columns, row) || events[place] !== columns.events[row]) return place;
      isSeen[row] = 1;
      beforeMs = ms;
    }
  }
  return null;
}
