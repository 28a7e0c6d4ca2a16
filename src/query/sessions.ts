import { invalidQuery } from "./errors.ts";
import type { EventsTable } from "./events.ts";
import type { Joined } from "./lookups.ts";
import { shown } from "./shapes.ts";
import { integer, join, name, type Sql, sql, text } from "./sql.ts";

/** What kind of value a field of a session holds; texts are NULL where no event of the session has one. */
type FieldKind = "string" | "int" | "datetime" | "bool";

interface Field {
  kind: FieldKind;
  /** Over the events of one session. */
  aggregate: (events: EventsTable) => Sql;
}

/** Sessions that begin before a range or end after it are read whole (engine rule 22): they last a day at most. */
export const SESSION_MAX_MS = 24 * 3_600_000;

/** The time whose sessions are looked at, and whether any were: the statement's files must hold it then. */
export class SessionWindow {
  isRead = false;

  /** Epoch milliseconds, both within. */
  constructor(
    readonly fromMs: number | null,
    readonly toMs: number,
  ) {}
}

const first = (key: string): Field => ({
  kind: "string",
  aggregate: (e) => {
    const value = sql`nullif(${e.property(key)}, '')`;
    return sql`arg_min(${value}, ${e.column("timestamp")}) FILTER (WHERE ${value} IS NOT NULL)`;
  },
});
const last = (key: string): Field => ({
  kind: "string",
  aggregate: (e) => {
    const value = sql`nullif(${e.property(key)}, '')`;
    return sql`arg_max(${value}, ${e.column("timestamp")}) FILTER (WHERE ${value} IS NOT NULL)`;
  },
});
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

/** Fields of a session by PostHog's names (reference §6). */
const FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.entries({
    $start_timestamp: START,
    $end_timestamp: END,
    $session_duration: DURATION,
    duration: DURATION,
    distinct_id: {
      kind: "string",
      aggregate: (e) => sql`arg_min(${e.column("distinct_id")}, ${e.column("timestamp")})`,
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
  } satisfies Record<string, Field>),
);

/** The session of each row: NULL where it has none. Its fields are made of all its events, whatever else is filtered. */
export class SessionLookup {
  private readonly read: string[] = [];

  constructor(
    private readonly joined: Joined,
    private readonly idOfRow: () => Sql,
    private readonly window: SessionWindow | null,
    private readonly table: () => EventsTable,
  ) {}

  /** A field. Errors: TerminalError `invalid_query` for one that sessions do not have. */
  field(key: string, place: string): { value: Sql; kind: FieldKind } {
    const field = FIELDS.get(key);
    const { window } = this;
    if (field === undefined || window === null) throw invalidQuery(place, `sessions have no ${shown(key)} here`);
    window.isRead = true;
    if (!this.read.includes(key)) this.read.push(key);
    const session = this.joined.lookup(
      "session",
      () => this.sessions(window),
      (alias) => sql`${alias}.session_id = ${this.idOfRow()}`,
    );
    return { value: sql`${session}.${name(`s${this.read.indexOf(key)}`)}`, kind: field.kind };
  }

  private sessions({ fromMs, toMs }: SessionWindow): Sql {
    const events = this.table();
    const id = events.property("$session_id");
    const at = events.column("timestamp");
    const fields = this.read.map((key, i) => sql`${FIELDS.get(key)!.aggregate(events)} AS ${name(`s${i}`)}`);
    const conditions = [sql`${id} <> ''`, sql`${at} <= make_timestamp_ms(${integer(toMs + SESSION_MAX_MS)})`];
    if (fromMs !== null) conditions.push(sql`${at} >= make_timestamp_ms(${integer(fromMs - SESSION_MAX_MS)})`);
    const columns = join([sql`${id} AS session_id`, ...fields], ", ");
    return sql`(SELECT ${columns} FROM ${events.from()} WHERE ${join(conditions, " AND ")} GROUP BY 1)`;
  }
}
