import type { Snapshot, SnapshotSegment } from "../catalog/mod.ts";
import { tableOf } from "../storage/mod.ts";
import { eventsOf, isStale, type Means, numbersIn } from "./events.ts";
import { keptRows } from "./keptRows.ts";

export interface ActivityRequest {
  /** Whose days; the times that are asked for begin and end with some. */
  timezone: string;
  /** All events together, without their names. */
  anyEvent: boolean;
  persons: boolean;
}

/** The relation `activity` of a snapshot: from daily rollups where they are of use, else from the events. */
export function activityOf(snapshot: Snapshot, o: ActivityRequest, means: Means): string {
  const roster = usefulRoster(snapshot, o);
  const [rolled, rest] = partition(snapshot.segments, (file) => {
    return roster !== null && file.rollupZone === o.timezone && !hasUndone(file, snapshot);
  });
  const scans = Map.groupBy(rolled, (file) => o.persons && isStale(file, snapshot));
  const parts =
    roster === null
      ? []
      : [...scans].map(([follows, files]) => {
          const numbers = tableOf(means.store, [roster]);
          const rows = keptRows({
            kind: "events",
            files,
            erasures: snapshot.erasures,
            roster: numbers,
            read: (some) => tableOf(means.store, some, { part: "rollup" }),
          });
          return scan(rows, follows ? movedNumbers(numbers, means) : null, o);
        });
  if (rest.length > 0 || parts.length === 0) {
    const events = eventsOf(snapshot, { persons: false, properties: false, keys: [], numbers: o.persons }, means, rest);
    parts.push(`select ${columnsOf(o, "1::bigint", ["person_number", "person_unnumbered"])} from ${events}`);
  }
  return `(${parts.join(" union all ")})`;
}

/** Whether rows of the file came with an import that was undone: its rollup cannot tell them apart. */
function hasUndone({ erasedThrough }: SnapshotSegment, { erasures }: Snapshot): boolean {
  return erasures.some(({ kind, version }) => kind === "import" && version > erasedThrough);
}

/** Where persons are counted by id, rollups do not help: null. */
function usefulRoster(snapshot: Snapshot, { persons }: ActivityRequest): SnapshotSegment | null {
  return persons && numbersIn(snapshot).count === 0 ? null : snapshot.roster;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []];
  for (const item of items) parts[isFirst(item) ? 0 : 1].push(item);
  return parts;
}

function scan(rows: string, moved: string | null, o: ActivityRequest): string {
  const person: [string, string] =
    moved === null
      ? ["person_number", "null::uuid"]
      : ["case when m.moved is null then person_number else m.number end", "m.unnumbered"];
  return `select ${columnsOf(o, "events::bigint", person)}
    from ${rows} ${moved === null ? "" : `left join ${moved} m on m.moved = person_number`}
    where event is ${o.anyEvent ? "" : "not "}null`;
}

function columnsOf({ anyEvent, persons }: ActivityRequest, events: string, [number, id]: [string, string]): string {
  return [
    ...(anyEvent ? [] : ["event"]),
    `"timestamp"`,
    `${events} as events`,
    ...(persons ? [`${number} as person_number`, `${id} as person_unnumbered`] : []),
  ].join(", ");
}

/**
 * Text of a table of the numbers of ids that have moved: to which number, or where that person has none, to which id.
 * `numbers`: the table of the roster.
 */
export function movedNumbers(numbers: string, means: Means): string {
  return `(select o.number as moved, n.number, case when n.number is null then m.survivor_id end as unnumbered
    from ${means.moved()} m join ${numbers} o on o.person_id = m.id left join ${numbers} n on n.person_id = m.survivor_id)`;
}
