import type { GroupIndex } from "../../types/mod.ts";
import type { Snapshot, SnapshotSegment } from "../catalog/mod.ts";
import {
  CLASS,
  countPersons,
  fold,
  LOG_COLUMNS,
  type LogTables,
  logRows,
  movedOf,
  nodesOf,
  OP,
  type PersonCount,
  propertyRows,
  seenOf,
  VERSION,
  valuesOf,
  whoIs,
} from "../people/mod.ts";
import { type Locator, tableOf } from "../storage/mod.ts";
import type { Parameter } from "../typed/mod.ts";
import { type ActivityRequest, activityOf } from "./dailyRollup.ts";
import { type EventsRequest, emptyTable, eventsOf, type Means, numberColumns, numbersIn } from "./events.ts";
import { type Journeys, journeysIn } from "./journeys.ts";
import { keptRows } from "./keptRows.ts";

/**
 * The tables of one snapshot of a project: each method gives the text of a parenthesised SELECT, made of the
 * catalog's ids and integers only. Values of users come in as the text of a parameter (`$3::VARCHAR`).
 */
export interface Relations {
  /**
   * The events, with the columns of `RELATION_COLUMNS` but for `properties`. `persons`: `person_id` is the person after all
   * merges; without it the column is as stored, which costs no look-up. `properties`: with a column of that name VARCHAR
   * (JSON object text), which costs reading every property. `keys`: paths in the properties, each with two columns,
   * `k<i>` VARCHAR (strings as they are, all else as JSON text) and `n<i>` DOUBLE (the number that the text holds); NULL
   * where it is missing or JSON null. `parameter` gives the text of a bound value.
   */
  events(o: EventsRequest, parameter: Parameter): string;
  /**
   * The events by day, for questions about whole days of one zone: each row counts `events` BIGINT of a person on a
   * day. `timestamp`: some time of that day; `event`: their name, but for `anyEvent`. `persons`: with the columns that
   * `countPersons` counts, of the person after all merges. Several rows may be of the same day, name and person.
   */
  activity(o: ActivityRequest): string;
  /** An aggregate over rows of `events({numbers: true})` or `activity({persons: true})`: how many persons they have, exactly. */
  countPersons(o: PersonCount): string;
  /** What journeys hold of the events; null where they are of no use. */
  journeys(): Journeys | null;
  /** A value by which persons differ in such rows, whose name in FROM is `alias`; never NULL. */
  who(alias: string): string;
  /**
   * `id` UUID, `created_at` TIMESTAMP, `is_identified` BOOLEAN: one row a person. `properties`: with a column
   * `properties` VARCHAR (JSON object text), which costs reading the whole log of the project. `numbers`: with the columns
   * by which `who` tells persons of events apart. `only`: the text of a
   * SELECT of one column, ids of persons; no others are read, so that one person or a page of them is cheap.
   */
  persons(o: PersonsRequest): string;
  /** `distinct_id` VARCHAR, `person_id` UUID: every distinct_id of a person; `only` as of persons. */
  distinctIds(o?: { only?: string }): string;
  /** `id` UUID, `survivor_id` UUID: every person that became part of another one, and which that is now. */
  moved(): string;
  /** `person_id` UUID, `value` VARCHAR (JSON text): one row a person that has the property now. */
  personProperty(key: string): string;
  /** `index` UTINYINT, `key` VARCHAR, `created_at` TIMESTAMP: one row a group. `properties`: as of persons. */
  groups(o: { properties: boolean }): string;
  /** `key` VARCHAR, `value` VARCHAR (JSON text): one row a group of the type that has the property now. */
  groupProperty(index: GroupIndex, key: string): string;
}

/** What the log says of persons beside what holds of them now. */
export interface PersonHistory {
  /** `person_id` UUID, `version_ms` BIGINT: of each person the time of the newest that is known of it. */
  personVersions(): string;
  /** `person_id` UUID: each person once of which something came in, or that was created, from one time to another, the end not included. */
  personsChanged(range: { fromMs: number; toMs: number }): string;
  /** `distinct_id` VARCHAR, `moves` BIGINT: how often merges carried a distinct_id to another person, where any did. */
  movesOfIds(): string;
}

export interface PersonsRequest {
  properties: boolean;
  numbers?: boolean;
  only?: string;
}

/** The relations of a snapshot whose files are in this store. */
export function relationsOf(snapshot: Snapshot, store: Locator): SnapshotRelations {
  if (!Number.isSafeInteger(snapshot.teamId)) throw new Error(`no team id: ${snapshot.teamId}`);
  return new SnapshotRelations(snapshot, store);
}

class SnapshotRelations implements Relations, PersonHistory {
  /** Top-level keys of properties that were asked for. */
  readonly readKeys = new Set<string>();
  private readonly ofTeam: string;
  private readonly log: LogTables;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly store: Locator,
  ) {
    this.ofTeam = `team_id = ${snapshot.teamId}`;
    this.log = logTables(snapshot, store);
  }

  events(o: EventsRequest, parameter: Parameter): string {
    for (const [key] of o.keys) this.readKeys.add(key);
    return eventsOf(this.snapshot, o, this.means(parameter));
  }

  activity(o: ActivityRequest): string {
    // Names and times of events bind nothing.
    return activityOf(
      this.snapshot,
      o,
      this.means(() => ""),
    );
  }

  journeys(): Journeys | null {
    return journeysIn(
      this.snapshot,
      this.store,
      this.means(() => ""),
    );
  }

  countPersons(o: PersonCount): string {
    return countPersons(numbersIn(this.snapshot), o);
  }

  who(alias: string): string {
    return whoIs(numbersIn(this.snapshot), alias);
  }

  persons({ properties, numbers = false, only }: PersonsRequest): string {
    const log = this.logOf(only);
    const moved = this.movedIn(log);
    const limited = only === undefined ? "" : `where p.id in (${only})`;
    const isIdentified =
      moved === null ? "false" : `p.id in (select survivor_id from ${nodesOf(log, this.ofTeam)} where is_identified)`;
    // Each id has one row; to group them costs as much as to read them.
    const seen = seenOf(log, this.ofTeam);
    const first =
      moved === null
        ? seen
        : `(select coalesce(m.survivor_id, s.id) as id, min(s.at_ms) as at_ms
            from ${seen} s left join ${moved} m on m.id = s.id group by 1)`;
    const persons = `(select p.id, make_timestamp(p.at_ms * 1000) as created_at, ${isIdentified} as is_identified
      from ${first} p ${limited})`;
    if (numbers) return this.numbered(this.persons({ properties, ...(only !== undefined && { only }) }));
    if (!properties) return persons;
    return `(select p.*, coalesce(f.properties, '{}') as properties from ${persons} p
      left join ${asObjects(this.personValues(log, ""))} f on f.id = p.id)`;
  }

  distinctIds({ only }: { only?: string } = {}): string {
    const log = this.logOf(only);
    const seen = seenOf(log, this.ofTeam);
    const moved = this.movedIn(log);
    const limited = only === undefined ? "" : `where person_id in (${only})`;
    if (moved === null)
      return `(select distinct_id, id as person_id from ${seen} ${limited.replace("person_id", "id")})`;
    return `(with seen as (select s.id, s.distinct_id, coalesce(m.survivor_id, s.id) as person_id
        from ${seen} s left join ${moved} m on m.id = s.id)
      select distinct_id, person_id from (
        select distinct_id, person_id from seen
        union all
        select n.distinct_id, n.survivor_id from ${nodesOf(log, this.ofTeam)} n anti join seen s on s.id = n.id
        where n.survivor_id in (select person_id from seen))
      ${limited})`;
  }

  personVersions(): string {
    return `(select ${this.personOfRow} as person_id, max(${CAME_MS}) as version_ms from ${this.personLog} group by 1)`;
  }

  personsChanged({ fromMs, toMs }: { fromMs: number; toMs: number }): string {
    const atMs = `coalesce(${CAME_MS}, l.at_ms)`;
    return `(select distinct ${this.personOfRow} as person_id from ${this.personLog}
      where ${atMs} >= ${Math.trunc(fromMs)} and ${atMs} < ${Math.trunc(toMs)})`;
  }

  movesOfIds(): string {
    return `(select distinct_id, len(moves) as moves from ${nodesOf(this.log, this.ofTeam)} where len(moves) > 0)`;
  }

  /** Rows of the log about persons, with the persons that they belong to now, for `personOfRow`. */
  private get personLog(): string {
    const rows = `(select person_id, t_ms, at_ms from ${this.log.all} where ${this.ofTeam} and class in (${CLASS.identity}, ${CLASS.person})) l`;
    const moved = this.movedIn(this.log);
    return moved === null ? rows : `${rows} left join ${moved} m on m.id = l.person_id`;
  }

  private get personOfRow(): string {
    return this.snapshot.mergesVersion === 0 ? "l.person_id" : "coalesce(m.survivor_id, l.person_id)";
  }

  moved(): string {
    return `(select id, survivor_id from ${this.movedIn(this.log) ?? NOBODY})`;
  }

  personProperty(key: string): string {
    const values = this.personValues(this.log, `and key = ${key}`);
    return `(select id as person_id, value from ${values})`;
  }

  groups({ properties }: { properties: boolean }): string {
    const ofGroups = `class >= ${CLASS.group0}`;
    const groups = `(select (class - ${CLASS.group0})::utinyint as index, subject as key,
        make_timestamp(arg_min(at_ms, ${VERSION}) * 1000) as created_at
      from ${this.log.all} where ${this.ofTeam} and ${ofGroups} and op = ${OP.seen} group by class, subject)`;
    if (!properties) return groups;
    return `(select g.*, coalesce(f.properties, '{}') as properties from ${groups} g
      left join ${asObjects(this.groupValues(ofGroups))} f on f.id.class = g.index + ${CLASS.group0} and f.id.subject = g.key)`;
  }

  groupProperty(index: GroupIndex, key: string): string {
    return `(select id.subject as key, value from ${this.groupValues(`class = ${CLASS.group0 + index} and key = ${key}`)})`;
  }

  /** Persons with the columns by which they are told apart in rows of events. */
  private numbered(persons: string): string {
    const { columns, join } = numberColumns({
      person: "p.id",
      follows: false,
      file: { isNumbered: false },
      snapshot: this.snapshot,
      store: this.store,
    });
    return `(select p.*, ${columns.join(", ")} from ${persons} p ${join})`;
  }

  private means(parameter: Parameter): Means {
    return { store: this.store, parameter, moved: () => movedOf(this.log, this.ofTeam) };
  }

  /** What holds now of persons: `id`, `key`, `value`. */
  private personValues(log: LogTables, rows: string): string {
    return valuesOf(log, { ofTeam: this.ofTeam, rows, isMerged: this.snapshot.mergesVersion > 0 });
  }

  /** The same of groups; `id` has a `class` and a `subject`. */
  private groupValues(condition: string): string {
    const id = "{'class': class, 'subject': subject}";
    return fold(propertyRows(this.log.all, id, `${this.ofTeam} and ${condition}`), null);
  }

  /** Ids whose rows belong to another person; null where no persons were ever merged. */
  private movedIn(log: LogTables): string | null {
    return this.snapshot.mergesVersion === 0 ? null : movedOf(log, this.ofTeam);
  }

  /** What can say something of these persons: the rows of every id that was theirs at some time. */
  private logOf(only: string | undefined): LogTables {
    if (only === undefined) return this.log;
    const ids = `(select person_id from ${this.log.all} where ${this.ofTeam} and class = ${CLASS.identity}
      and survivor_id in (${only}) union all (${only}))`;
    const all = `(select * from ${this.log.all} where ${this.ofTeam} and person_id in ${ids})`;
    return { base: null, rest: all, all };
  }
}

/** Values as JSON objects: `id`, `properties`. Keys are sorted by their texts. */
function asObjects(values: string): string {
  const members = "list_sort(list(to_json(key)::varchar || ':' || value))";
  return `(select id, '{' || array_to_string(${members}, ',') || '}' as properties from ${values} group by id)`;
}

/** Times of the log beyond it say no more than "before" or "after all others". */
const UNTIMED_MS = 8e15;
/** When a row of the log came in. A person that was made without a time of creation exists since then. */
const CAME_MS = `case when abs(l.t_ms) < ${UNTIMED_MS} then l.t_ms when l.t_ms > 0 then l.at_ms end`;

const NOBODY = "(select null::uuid as id, null::uuid as survivor_id where false)";

/** The largest compacted file is the base. */
function logTables({ logs, erasures }: Snapshot, store: Locator): LogTables {
  const read = (files: readonly SnapshotSegment[]) => tableOf(store, files);
  const kept = (files: readonly SnapshotSegment[]) => keptRows({ kind: "log", files, erasures, read });
  const keptOrNull = (files: readonly SnapshotSegment[]) => (files.length === 0 ? null : kept(files));
  const rowsOf = (files: readonly SnapshotSegment[]) =>
    logRows(keptOrNull(files.filter(({ level }) => level === 0)), keptOrNull(files.filter(({ level }) => level > 0)));
  if (logs.length === 0) {
    const all = emptyTable(LOG_COLUMNS);
    return { base: null, rest: all, all };
  }
  const [base] = logs.filter(({ level }) => level > 0).sort((a, b) => b.rowCount - a.rowCount);
  const rest = logs.filter((log) => log !== base);
  return {
    base: base === undefined ? null : kept([base]),
    rest: rest.length === 0 ? null : rowsOf(rest),
    all: rowsOf(logs),
  };
}
