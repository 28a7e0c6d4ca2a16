import type { Snapshot, SnapshotSegment } from "../catalog/mod.ts";
import { sqlString } from "../engine/mod.ts";
import { activityName } from "../storage/mod.ts";
import { eventsOf, isStale, type Means, numbersIn, readFiles } from "./events.ts";
import { keptRows } from "./keptRows.ts";

export interface ActivityRequest {
  /** Whose days; the times that are asked for begin and end with some. */
  timezone: string;
  /** Whatever events they were: their names are not told. */
  anyEvent: boolean;
  persons: boolean;
}

/** The relation `activity` of a snapshot: from files of activity where they are of use, else from the events. */
export function activityOf(snapshot: Snapshot, o: ActivityRequest, means: Means): string {
  const [use, rest] = [true, false].map((is) => snapshot.segments.filter((file) => isOfUse(file, snapshot, o) === is));
  const scans = Map.groupBy(use!, (file) => o.persons && isStale(file, snapshot));
  const parts = [...scans].map(([follows, files]) =>
    scan(snapshot, files, follows ? movedNumbers(snapshot, means) : null, o),
  );
  if (rest!.length > 0 || parts.length === 0) {
    const events = eventsOf(snapshot, { persons: false, properties: false, keys: [], numbers: o.persons }, means, rest);
    parts.push(`select ${columnsOf(o, "1::bigint", ["person_number", "person_unnumbered"])} from ${events}`);
  }
  return `(${parts.join(" union all ")})`;
}

/** Where persons are told apart by id, files of numbers do not help. */
function isOfUse(file: SnapshotSegment, snapshot: Snapshot, { timezone, persons }: ActivityRequest): boolean {
  return file.activityZone === timezone && snapshot.roster !== null && (!persons || numbersIn(snapshot).count > 0);
}

function scan(snapshot: Snapshot, files: readonly SnapshotSegment[], moved: string | null, o: ActivityRequest): string {
  const { erasures } = snapshot;
  const rows = keptRows({ kind: "events", files, erasures, roster: readFiles([snapshot.roster!]), read: readActivity });
  const person: [string, string] =
    moved === null
      ? ["person_number", "null::uuid"]
      : ["case when m.moved is null then person_number else m.number end", "m.unnumbered"];
  return `select ${columnsOf(o, "events::bigint", person)}
    from ${rows} ${moved === null ? "" : `left join ${moved} m on m.moved = person_number`}
    where event is ${o.anyEvent ? "" : "not "}null`;
}

const readActivity = (files: readonly SnapshotSegment[]): string =>
  `read_parquet([${files.map(({ id }) => sqlString(activityName(id))).join(", ")}])`;

function columnsOf({ anyEvent, persons }: ActivityRequest, events: string, [number, id]: [string, string]): string {
  return [
    ...(anyEvent ? [] : ["event"]),
    `"timestamp"`,
    `${events} as events`,
    ...(persons ? [`${number} as person_number`, `${id} as person_unnumbered`] : []),
  ].join(", ");
}

/** Text of a table of the numbers of ids that have moved: to which number, or where that person has none, to which id. */
function movedNumbers({ roster }: Snapshot, means: Means): string {
  const numbers = readFiles([roster!]);
  return `(select o.number as moved, n.number, case when n.number is null then m.survivor_id end as unnumbered
    from ${means.moved()} m join ${numbers} o on o.person_id = m.id left join ${numbers} n on n.person_id = m.survivor_id)`;
}
