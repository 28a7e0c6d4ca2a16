import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import { integer, join, name, type Sql, sql, text } from "../sql/sql.ts";
import type { Span } from "../time/dates.ts";
import type { Joined } from "./lookups.ts";

/** What kind of value a field of a session holds; texts are NULL where no event of the session has one. */
export type FieldKind = "string" | "int" | "datetime" | "bool" | "array";

/** What sessions read of a table of events. */
export interface SessionEvents {
  column(column: "event" | "distinct_id" | "timestamp"): Sql;
  /** As text. */
  property(key: string): Sql;
  /** For FROM; to be made last. */
  from(): Sql;
}

interface Field {
  kind: FieldKind;
  /** Over the events of one session. */
  aggregate: (events: SessionEvents) => Sql;
}

/** Sessions that begin before a range or end after it are read whole (engine rule 22): they last a day at most. */
const SESSION_MAX_MS = 24 * 3_600_000;

/** The time whose sessions are looked at, and whether any were: the statement's files must hold it then. */
export class SessionWindow {
  isRead = false;

  /** `span` may still narrow until the statement is written. */
  constructor(private readonly span: Span) {}

  /** With a session's length on both sides. */
  get widened(): Span {
    const { fromMs, toMs } = this.span;
    return {
      fromMs: fromMs === null ? null : fromMs - SESSION_MAX_MS,
      toMs: toMs === null ? null : toMs + SESSION_MAX_MS,
    };
  }
}

/** The first or last text of a property that some event of the session has. */
const textAt =
  (pick: Sql) =>
  (key: string): Field => ({
    kind: "string",
    aggregate: (e) => {
      const value = sql`nullif(${e.property(key)}, '')`;
      return sql`${pick}(${value}, ${e.column("timestamp")}) FILTER (WHERE ${value} IS NOT NULL)`;
    },
  });
const first = textAt(sql`arg_min`);
const last = textAt(sql`arg_max`);
const within = (field: Field, part: (url: Sql) => Sql): Field => ({
  kind: "string",
  aggregate: (e) => part(field.aggregate(e)),
});
const countOf = (event: string): Field => ({
  kind: "int",
  aggregate: (e) => sql`count(*) FILTER (WHERE ${e.column("event")} = ${text(event)})`,
});

const pathOf = (url: Sql): Sql => sql`regexp_extract(${url}, '^(?:[^:/?#]+://[^/?#]*)?([^?#]*)', 1)`;
const hostOf = (url: Sql): Sql => sql`regexp_extract(${url}, '^[^:/?#]+://(?:[^@/?#]*@)?([^:/?#]*)', 1)`;

const START: Field = { kind: "datetime", aggregate: (e) => sql`min(${e.column("timestamp")})` };
const END: Field = { kind: "datetime", aggregate: (e) => sql`max(${e.column("timestamp")})` };
const DURATION: Field = {
  kind: "int",
  aggregate: (e) => sql`date_diff('second', ${START.aggregate(e)}, ${END.aggregate(e)})`,
};
const URLS_SEEN: Field = { kind: "int", aggregate: (e) => sql`count(DISTINCT ${e.property("$current_url")})` };
const [ENTRY_URL, END_URL] = [first("$current_url"), last("$current_url")];

const CAMPAIGN = [
  "utm_source",
  "utm_campaign",
  "utm_medium",
  "utm_term",
  "utm_content",
  "gclid",
  "gad_source",
  "fbclid",
];
const ADS = ["gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "li_fat_id", "mc_cid", "igshid", "ttclid"];

/** Nothing that a visitor did but to come: NULL where no page or screen was seen. */
const BOUNCE: Field = {
  kind: "bool",
  aggregate: (e) => {
    const [pages, screens, clicks] = ["$pageview", "$screen", "$autocapture"].map((event) =>
      countOf(event).aggregate(e),
    );
    const seen = sql`(${pages!} + ${screens!})`;
    const stayed = sql`${seen} > 1 OR ${clicks!} > 0 OR ${DURATION.aggregate(e)} >= 10`;
    return sql`CASE WHEN ${seen} > 0 THEN NOT (${stayed}) END`;
  },
};

/** Fields of a session by PostHog's names (docs/queries.md#sessions). */
export const SESSION_FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.entries({
    $start_timestamp: START,
    $end_timestamp: END,
    $session_duration: DURATION,
    duration: DURATION,
    distinct_id: {
      kind: "string",
      aggregate: (e) => sql`arg_min(${e.column("distinct_id")}, ${e.column("timestamp")})`,
    },
    $urls: {
      kind: "array",
      aggregate: (e) =>
        sql`coalesce(list_sort(list(DISTINCT ${e.property("$current_url")}) FILTER (WHERE ${e.property("$current_url")} IS NOT NULL)), [])`,
    },
    $num_uniq_urls: URLS_SEEN,
    $entry_current_url: ENTRY_URL,
    $entry_pathname: within(ENTRY_URL, pathOf),
    $entry_hostname: within(ENTRY_URL, hostOf),
    $end_current_url: END_URL,
    $end_pathname: within(END_URL, pathOf),
    $end_hostname: within(END_URL, hostOf),
    $exit_current_url: END_URL,
    $exit_pathname: within(END_URL, pathOf),
    $entry_referring_domain: first("$referring_domain"),
    $entry_referrer: first("$referrer"),
    ...Object.fromEntries([...CAMPAIGN, ...ADS].map((key) => [`$entry_${key}`, first(key)])),
    $pageview_count: countOf("$pageview"),
    $autocapture_count: countOf("$autocapture"),
    $screen_count: countOf("$screen"),
    $is_bounce: BOUNCE,
  } satisfies Record<string, Field>),
);

/** Sessions made of events: one row each, with what is asked of them. */
export class SessionRows {
  private readonly read: string[] = [];

  constructor(
    private readonly window: SessionWindow,
    private readonly events: SessionEvents,
  ) {}

  /** The name of a field's column. Errors: null for a field that sessions do not have. */
  column(key: string): { column: Sql; kind: FieldKind } | null {
    const field = SESSION_FIELDS.get(key);
    if (field === undefined) return null;
    this.window.isRead = true;
    if (!this.read.includes(key)) this.read.push(key);
    return { column: name(`s${this.read.indexOf(key)}`), kind: field.kind };
  }

  /** `session_id` and the columns asked for; to be made last. */
  relation(): Sql {
    const { events } = this;
    const { fromMs, toMs } = this.window.widened;
    this.window.isRead = true;
    const id = events.property("$session_id");
    const at = events.column("timestamp");
    const fields = this.read.map((key, i) => sql`${SESSION_FIELDS.get(key)!.aggregate(events)} AS ${name(`s${i}`)}`);
    const conditions = [sql`${id} <> ''`];
    if (fromMs !== null) conditions.push(sql`${at} >= make_timestamp_ms(${integer(fromMs)})`);
    if (toMs !== null) conditions.push(sql`${at} <= make_timestamp_ms(${integer(toMs)})`);
    const columns = join([sql`${id} AS session_id`, ...fields], ", ");
    return sql`(SELECT ${columns} FROM ${events.from()} WHERE ${join(conditions, " AND ")} GROUP BY 1)`;
  }
}

/** The session of each row: NULL where it has none. Its fields are made of all its events, whatever else is filtered. */
export class SessionLookup {
  private rows: SessionRows | null = null;

  constructor(
    private readonly joined: Joined,
    private readonly idOfRow: () => Sql,
    private readonly window: SessionWindow,
    private readonly table: () => SessionEvents,
  ) {}

  /** A field. Errors: TerminalError `invalid_query` for one that sessions do not have. */
  field(key: string, place: string): { value: Sql; kind: FieldKind } {
    this.rows ??= new SessionRows(this.window, this.table());
    const { rows } = this;
    const found = rows.column(key);
    if (found === null) throw invalidQuery(place, `sessions have no ${shown(key)}`);
    const session = this.joined.lookup(
      "session",
      () => rows.relation(),
      (alias) => sql`${alias}.session_id = ${this.idOfRow()}`,
    );
    return { value: sql`${session}.${found.column}`, kind: found.kind };
  }
}
