import type { Snapshot, SnapshotSegment } from "../catalog/mod.ts";
import { quoted, sqlList } from "../engine/mod.ts";
import { NUMBER_COLUMNS, numbersOf, personKey, personKeyOf, unnumbered } from "../people/mod.ts";
import { type Locator, tableOf } from "../storage/mod.ts";
import { type Parameter, RELATION_COLUMNS, readKey, wholeProperties } from "../typed/mod.ts";
import { isJourneyed } from "./journeyed.ts";
import { checkUuid, keptRows } from "./keptRows.ts";

export interface EventsRequest {
  persons: boolean;
  properties: boolean;
  keys: readonly KeyPath[];
  /**
   * The text of a SELECT of one column, times: events of no other time are read. A listing is asked for in two steps, since
   * what costs is to make the whole of rows that are not shown: first the times of its rows, from few columns, then those.
   */
  times?: string;
  /**
   * With the person after all merges, by `person_number` INTEGER, or by `person_unnumbered` UUID where the
   * person has no number: the other one is NULL. It is what `countPersons` counts.
   */
  numbers?: boolean;
  /**
   * Only the rows of files whose order journeys hold, with `place` UBIGINT (the file's place among `Relations.journeys`, shifted by
   * 32 bits, and the row's place in the file); or only those of the others. Absent: of all.
   */
  files?: "journeyed" | "others";
  /**
   * The id of a person: rows of others may be missing. The statement keeps its own exact condition. Files with rows in order
   * of person are asked for few of them then. Only with `persons`.
   */
  person?: string;
  /** Only rows at these times, epoch ms, both ends included: files that hold no others are not asked for their rows' times. */
  within?: { fromMs: number | null; toMs: number | null };
}

/** Steps of a path: keys, and positions in arrays from one. The first is always a key. */
export type KeyPath = readonly [string, ...(string | number)[]];

export interface Means {
  store: Locator;
  parameter: Parameter;
  /** The text of the table of ids that have moved to another person. */
  moved: () => string;
}

/** The relation `events` of a snapshot, or of some of its files: those of equal form are read by one scan each. */
export function eventsOf(snapshot: Snapshot, o: EventsRequest, means: Means, files = filesIn(snapshot, o)): string {
  if (files.length === 0) return emptyTable(columnTypes(o));
  const scans = Map.groupBy(files, (segment) => formOf(segment, snapshot, o));
  return `(${[...scans.values()].map((files) => scan(files, snapshot, o, means)).join(" union all ")})`;
}

function filesIn(snapshot: Snapshot, { files }: EventsRequest): readonly SnapshotSegment[] {
  if (files === undefined) return snapshot.segments;
  return snapshot.segments.filter((segment) => isJourneyed(segment, snapshot) === (files === "journeyed"));
}

/** The number of a row's file among all that are journeyed, and of the row in it. */
function placeOf(files: readonly SnapshotSegment[], snapshot: Snapshot): string {
  const all = snapshot.segments.filter((segment) => isJourneyed(segment, snapshot));
  const numbers = files.map((file) => all.indexOf(file));
  const areInRow = numbers.every((number, i) => number === numbers[0]! + i);
  const own = areInRow
    ? `(e.file_index::ubigint + ${numbers[0]})`
    : `list_extract(${sqlList(numbers, "ubigint")}, e.file_index::bigint + 1)`;
  return `((${own} << 32) | e.file_row_number::ubigint)`;
}

function formOf(segment: SnapshotSegment, snapshot: Snapshot, o: EventsRequest): string {
  const { persons, keys, numbers } = o;
  const asked = new Set(keys.map(([key]) => key));
  const exceptions = segment.exceptions.filter((id) => asked.has(snapshot.layout[id]?.key ?? ""));
  const { isOwn, columns } = segment;
  return JSON.stringify([
    isOwn,
    columns,
    exceptions,
    (persons || numbers) && isStale(segment, snapshot),
    numbers && segment.isNumbered,
    timesIn(segment, o).length > 0,
    isByPerson(segment, o),
  ]);
}

/** Whether the copy of the rows in order of person is read. It has other places than the rows. */
function isByPerson({ hasPersonRows }: SnapshotSegment, { person, files }: EventsRequest): boolean {
  return hasPersonRows && person !== undefined && files !== "journeyed";
}

/** What the key of a person's rows must be: one known before, or of all ids that have become this person. */
function ofPerson(person: string, follows: boolean, means: Means): string {
  checkUuid(person);
  if (!follows) return `e.person_key = ${personKeyOf(person)}`;
  const id = `'${person}'::uuid`;
  return `e.person_key in (select ${personKey("id")} from (
    select ${id} as id union all select id from ${means.moved()} where survivor_id = ${id}))`;
}

/** What a row's time must be, where the file has rows at other times than those that are asked for. */
function timesIn({ minMs, maxMs }: SnapshotSegment, { within }: EventsRequest): string[] {
  const { fromMs = null, toMs = null } = within ?? {};
  if ((fromMs === null || fromMs <= minMs) && (toMs === null || maxMs <= toMs)) return [];
  const at = (ms: number) => `make_timestamp(${BigInt(ms) * 1000n})`;
  return [
    ...(fromMs === null ? [] : [`e."timestamp" >= ${at(fromMs)}`]),
    // Times are whole milliseconds.
    ...(toMs === null ? [] : [`e."timestamp" <= ${at(toMs)}`]),
  ];
}

/** Whether persons were merged since the file was squashed. */
export function isStale(segment: SnapshotSegment, { mergesVersion }: Snapshot): boolean {
  return segment.squashedThrough < mergesVersion;
}

function scan(files: readonly SnapshotSegment[], snapshot: Snapshot, o: EventsRequest, means: Means): string {
  const [first] = files as [SnapshotSegment, ...SnapshotSegment[]];
  const columns = snapshot.layout.slice(0, first.columns);
  // Of the keys that are asked for, all files of a form have the same ones.
  const exceptions = new Set(first.exceptions);
  const follows = (o.persons || o.numbers === true) && isStale(first, snapshot);
  const person = follows ? "coalesce(m.survivor_id, e.person_id)" : "e.person_id";
  const plain = columnsOf(o).map(([name]) => {
    if (name === "properties") return `${wholeProperties(columns, means.parameter)} as properties`;
    return name === "person_id" && o.persons ? `${person} as person_id` : `e.${quoted(name)}`;
  });
  const keys = o.keys.flatMap((path, i) => {
    const { text, number } = readKey({ columns, exceptions }, path, means.parameter);
    return [`${text} as k${i}`, `${number} as n${i}`];
  });
  const conditions = [
    ...(first.isOwn ? [] : [`e.team_id = ${snapshot.teamId}`]),
    ...(o.times === undefined ? [] : [`e."timestamp" in (${o.times})`]),
    // All files of a form, or none, have rows at other times.
    ...timesIn(first, o),
    ...(isByPerson(first, o) ? [ofPerson(o.person!, follows, means)] : []),
  ];
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const numbered = o.numbers ? numberColumns({ person, follows, file: first, snapshot, store: means.store }) : null;
  const moved = follows ? `left join ${means.moved()} m on m.id = e.person_id` : "";
  const place = o.files === "journeyed" ? [`${placeOf(files, snapshot)} as place`] : [];
  const part = isByPerson(first, o) ? "personRows" : "rows";
  const read = (some: readonly SnapshotSegment[]) => tableOf(means.store, some, { part });
  const rows = keptRows({ kind: "events", files, erasures: snapshot.erasures, read });
  return `select ${[...plain, ...keys, ...(numbered?.columns ?? []), ...place].join(", ")}
    from ${rows} e ${moved} ${numbered?.join ?? ""} ${where}`;
}

/** To look persons up in the roster costs as much as numbers save, where more than this share of the rows has none. */
const LOOKED_UP_SHARE = 1 / 8;

/** How the persons of `events({numbers})` are told apart: `count` numbers, and by id where `hasUnnumbered`. */
export function numbersIn(snapshot: Snapshot): { count: number; hasUnnumbered: boolean } {
  const { segments, roster } = snapshot;
  const rowsOf = (list: readonly SnapshotSegment[]) => list.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const unnumbered = segments.filter(({ isNumbered }) => !isNumbered);
  if (roster === null || rowsOf(unnumbered) > rowsOf(segments) * LOOKED_UP_SHARE) {
    return { count: 0, hasUnnumbered: true };
  }
  const hasUnnumbered = unnumbered.length > 0 || segments.some((segment) => isStale(segment, snapshot));
  return { count: roster.rowCount, hasUnnumbered };
}

/** The columns by which persons of a table are told apart, and the joins that they need. */
export function numberColumns(o: {
  person: string;
  follows: boolean;
  file: Pick<SnapshotSegment, "isNumbered">;
  snapshot: Snapshot;
  store: Locator;
}) {
  const { person, follows, file, snapshot, store } = o;
  const { roster } = snapshot;
  if (roster === null || numbersIn(snapshot).count === 0) return unnumbered(person);
  return numbersOf({ person, isNumbered: file.isNumbered, follows, roster: tableOf(store, [roster]) });
}

function columnsOf({ properties }: EventsRequest) {
  return RELATION_COLUMNS.filter(([name]) => properties || name !== "properties");
}

function columnTypes(o: EventsRequest): Record<string, string> {
  const keys = o.keys.flatMap((_, i) => [[`k${i}`, "VARCHAR"] as const, [`n${i}`, "DOUBLE"] as const]);
  return {
    ...Object.fromEntries([...columnsOf(o), ...keys]),
    ...(o.numbers ? NUMBER_COLUMNS : {}),
    ...(o.files === "journeyed" && { place: "UBIGINT" }),
  };
}

/** A table of these columns without rows. */
export function emptyTable(columns: Record<string, string>): string {
  const typed = Object.entries(columns).map(([name, type]) => `null::${type} as ${quoted(name)}`);
  return `(select ${typed.join(", ")} where false)`;
}
