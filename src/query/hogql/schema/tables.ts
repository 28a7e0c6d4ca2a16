import type { QueryContext } from "../../source/context.ts";
import { type EventFiles, EventsTable } from "../../source/events.ts";
import { GROUP_INDEXES } from "../../source/lookups.ts";
import { SessionWindow } from "../../source/sessions.ts";
import { name, RELATION, type Sql } from "../../sql/sql.ts";
import type { Span } from "../../time/dates.ts";
import { EVENTS } from "./eventFields.ts";
import { type Fields, fieldsSource } from "./fields.ts";
import { GROUPS, PERSON_DISTINCT_IDS, PERSONS, StoredTable } from "./peopleFields.ts";
import { SESSIONS, SessionsTable } from "./sessionFields.ts";
import type { Source } from "./source.ts";

/** The tables that a project has. */
export const TABLES: readonly string[] = ["events", "persons", "person_distinct_ids", "groups", "sessions"];

/** Tables that PostHog has and Weir does not, with what to ask instead. */
export const REFUSED_TABLES: ReadonlyMap<string, string> = new Map([
  ["cohort_people", "use `person_id IN COHORT …`"],
  ["static_cohort_people", "use `person_id IN COHORT …`"],
  ["session_replay_events", "recordings are not stored"],
  ["raw_session_replay_events", "recordings are not stored"],
  ["log_entries", "logs are not stored"],
  ["logs", "logs are not stored"],
  ["heatmaps", "heatmaps are not stored"],
]);

/** Parts of PostHog's schema that are not answered: refused by name. */
export const REFUSED: Record<string, ReadonlySet<string>> = {
  events: new Set(["poe", ...GROUP_INDEXES.map((index) => `goe_${index}`)]),
  sessions: new Set(["$channel_type", "$last_external_click_url", "$vitals_lcp"]),
};

const NONE: ReadonlySet<string> = new Set();

/** Events whose rows are read through a table that is there already. */
export function eventsSource(rows: EventsTable, context: QueryContext): Source {
  const source = fieldsSource({ alias: "e", table: "events", fields: EVENTS, rows, context, refused: REFUSED.events! });
  // Which times are read is up to whoever made the table.
  return { ...source, events: { table: rows, bounds: { fromMs: null, toMs: null } } };
}

interface TableUse {
  alias: string;
  sqlAlias: string;
  context: QueryContext;
  bounds: (() => Span)[];
  /** Of events. */
  files?: EventFiles | undefined;
  within?: Span | undefined;
}

/** One of `TABLES`; `bounds` takes the time of the events that it reads, known when the statement is written. */
export function storedSource(table: string, { alias, sqlAlias, context, bounds, files, within }: TableUse): Source {
  const base = { alias, table, context, refused: REFUSED[table] ?? NONE };
  const span: Span = { fromMs: null, toMs: null };
  const sessions = new SessionWindow(span);
  if (table === "events") {
    const rows = new EventsTable(sqlAlias, { sessions, days: context.timezone, files, within });
    // Of a walk the whole of its rows says it.
    if (files === undefined) bounds.push(() => (sessions.isRead ? sessions.widened : span));
    const time = { column: "timestamp", bounds: span };
    const ofPerson = (id: string) => rows.ofPerson(id);
    const source = fieldsSource({ ...base, fields: EVENTS, rows, time, ofPerson });
    return { ...source, events: { table: rows, bounds: span } };
  }
  if (table === "sessions") {
    const rows = new SessionsTable(name(sqlAlias), sessions, new EventsTable(`${sqlAlias}_s`));
    bounds.push(() => sessions.widened);
    const time = { column: "$start_timestamp", bounds: span };
    return { ...fieldsSource({ ...base, fields: SESSIONS, rows, time }), bounds: span };
  }
  const of = (
    fields: Fields<StoredTable>,
    relation: (o: { properties: boolean; numbers: boolean }) => Sql,
    id: "id" | "person_id",
  ) => {
    const rows = new StoredTable(sqlAlias, relation, id);
    return { ...fieldsSource({ ...base, fields, rows }), person: rows.person };
  };
  if (table === "persons") return of(PERSONS, RELATION.persons, "id");
  if (table === "groups") return of(GROUPS, RELATION.groups, "id");
  return of(PERSON_DISTINCT_IDS, () => RELATION.distinctIds, "person_id");
}
