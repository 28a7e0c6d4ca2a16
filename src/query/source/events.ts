import type { GroupIndex } from "../../types/mod.ts";
import { KeysRead, type PropertySql, type StoredJson } from "../sql/properties.ts";
import { later, name, type PersonCount, RELATION, type Sql, sql, TRUE } from "../sql/sql.ts";
import type { Span } from "../time/dates.ts";
import { GroupLookup, Joined, PersonLookup } from "./lookups.ts";
import { SessionLookup, SessionWindow } from "./sessions.ts";

type EventColumn = "uuid" | "event" | "distinct_id" | "timestamp" | "created_at" | "properties" | "elements_chain";

/** Which events are read: of files with a journey (which tell them by `place`) or without, or only the names in journeys, or the values of one property (by `code`). */
export type EventFiles = "journeyed" | "others" | "names" | "values";

const anyTime = () => new SessionWindow({ fromMs: null, toMs: null });

/**
 * One use of the events in a FROM. Who a person is after merges, persons and groups are looked up only where something
 * asks for them, so that other queries pay nothing for them.
 */
export class EventsTable {
  readonly person: PersonLookup;
  /** By index of the group type. */
  readonly groups: Record<GroupIndex, GroupLookup>;
  readonly session: SessionLookup;
  private readonly joined: Joined;
  private readonly keys: KeysRead;
  private readonly days: string | null;
  private readonly files: EventFiles | undefined;
  private readonly within: Span | undefined;
  private readsPersons = false;
  private onlyPerson: string | null = null;
  private readsNumbers = false;
  private readsNames = false;
  private readsProperties = false;
  /** Something that the events by day do not tell. */
  private readsRows = false;
  private isMadeOfDays = false;

  /**
   * `sessions`: the time whose sessions are looked at, without it any time. `days`: a zone whose whole days are asked for; then the events by
   * day are read, which are fewer, where they tell all that is read. `within`: of `files` only rows at these times.
   */
  constructor(
    alias: string,
    {
      sessions = anyTime(),
      days = null,
      files,
      within,
    }: {
      sessions?: SessionWindow;
      days?: string | null;
      files?: EventFiles | undefined;
      within?: Span | undefined;
    } = {},
  ) {
    this.days = days;
    this.files = files;
    this.within = within;
    this.joined = new Joined(alias);
    this.keys = new KeysRead((column) => sql`${this.joined.alias}.${name(column)}`);
    this.person = new PersonLookup(this.joined, () => this.personId());
    const sessionId = () => this.property("$session_id");
    this.session = new SessionLookup(this.joined, sessionId, sessions, () => new EventsTable(`${alias}_s`));
    const group = (index: GroupIndex) => new GroupLookup(this.joined, index, () => this.property(`$group_${index}`));
    this.groups = [group(0), group(1), group(2), group(3), group(4)];
  }

  column(column: EventColumn): Sql {
    if (column === "properties") this.readsProperties = true;
    if (column === "event") this.readsNames = true;
    else this.readsRows = true;
    return sql`${this.joined.alias}.${name(column)}`;
  }

  /** Says that the events by day will not do. */
  readRows(): void {
    this.readsRows = true;
  }

  /** The time; where whole days are asked for, some time of the day. */
  when(): Sql {
    return sql`${this.joined.alias}.timestamp`;
  }

  /** An aggregate: how many events the rows are that meet `where`. */
  count(where: Sql): Sql {
    const filter = where === TRUE ? sql`` : sql` FILTER (WHERE ${where})`;
    const events = sql`CAST(coalesce(sum(${this.joined.alias}.events)${filter}, 0) AS BIGINT)`;
    return later(() => (this.isMadeOfDays ? events : sql`count(*)${filter}`));
  }

  /** After all merges. */
  personId(): Sql {
    this.readsPersons = true;
    this.readsRows = true;
    return sql`${this.joined.alias}.person_id`;
  }

  /** Says that events of other persons will be left out. `id`: a UUID as `parseUuid` gives it. */
  ofPerson(id: string): void {
    this.onlyPerson = id;
  }

  /** An aggregate: how many persons the rows have, faster than counting their ids. */
  countPersons(o: PersonCount): Sql {
    this.readsNumbers = true;
    return RELATION.countPersons({ ...o, alias: this.joined.alias });
  }

  /** What tells persons apart, after all merges; cheaper than the id. */
  who(): Sql {
    if (this.files === "values") return sql`${this.joined.alias}.code`;
    if (this.files === "journeyed") return sql`${this.joined.alias}.place`;
    this.readsNumbers = true;
    return RELATION.who(this.joined.alias);
  }

  /** A property as text. */
  property(key: string): PropertySql {
    return this.keys.read([key]);
  }

  /** A property as text inside which can be read. */
  propertyJson(key: string): StoredJson {
    return { ...this.property(key), at: (path) => this.keys.read([key, ...path]) };
  }

  /** By the number that is stored: 0 full, 1 propertyless. */
  personMode(): Sql {
    this.readsRows = true;
    return sql`${this.joined.alias}.person_mode`;
  }

  /** Whether the events by day tell all that has been asked for so far. */
  get isOfDays(): boolean {
    return this.days !== null && !this.readsRows && !this.joined.isJoined && this.keys.paths.length === 0;
  }

  /** The piece of FROM, to be made when everything else of the SELECT is. */
  from(): Sql {
    if (this.files === "names") return this.joined.from(name("journey_names"));
    if (this.files === "values") return this.joined.from(name("journey_values"));
    if (this.days !== null && this.isOfDays) {
      this.isMadeOfDays = true;
      const read = { timezone: this.days, anyEvent: !this.readsNames, persons: this.readsNumbers };
      return this.joined.from(RELATION.activity(read));
    }
    return this.joined.from(
      RELATION.events({
        persons: this.readsPersons,
        numbers: this.readsNumbers,
        properties: this.readsProperties,
        keys: this.keys.paths,
        ...(this.files !== undefined && { files: this.files }),
        ...(this.within !== undefined && { within: this.within }),
        ...(this.readsPersons && this.onlyPerson !== null && { person: this.onlyPerson }),
      }),
    );
  }
}
