import { HogqlError } from "../errors.ts";
import { propertyText } from "../properties.ts";
import { integer, name, type Sql, sql } from "../sql.ts";
import { type Type, typeOf, type Value, value } from "./types.ts";

/** What a table of FROM offers to the fields of a query. */
export interface Source {
  /** The name that qualifies its fields. */
  alias: string;
  /** Also known by this name. */
  table: string;
  /** A field by the first steps of a chain: its value and how many steps it used. Null when there is none. */
  field(chain: readonly (string | number)[]): { value: Value; used: number } | null;
  /** Columns of `*`. */
  star(): { name: string; value: Value }[];
}

interface Column {
  type: Type;
  read: (alias: Sql, teamId: number) => Sql;
  /** Not a column of the table but read from the properties: left out of `*`. */
  isVirtual?: boolean;
}

const column = (type: Type, read: Column["read"]): Column => ({ type, read });

const property = (key: string, nullable: boolean): Column => ({
  type: typeOf("string", nullable),
  read: (e) => {
    const read = propertyText(sql`${e}.properties`, [key]);
    return nullable ? read : sql`coalesce(${read}, '')`;
  },
  isVirtual: true,
});

/** By the number that is stored; what the person actor may add later has its name already. */
const PERSON_MODES = sql`['full', 'propertyless', 'force_upgrade']`;

/** The table `events`, in the order of `*`. */
const EVENTS = new Map<string, Column>([
  ["uuid", column(typeOf("uuid"), (e) => sql`${e}.uuid`)],
  ["event", column(typeOf("string"), (e) => sql`${e}.event`)],
  ["properties", column({ ...typeOf("string"), isJson: true }, (e) => sql`${e}.properties`)],
  ["timestamp", column(typeOf("datetime"), (e) => sql`${e}.timestamp`)],
  ["distinct_id", column(typeOf("string"), (e) => sql`${e}.distinct_id`)],
  ["elements_chain", column(typeOf("string"), (e) => sql`${e}.elements_chain`)],
  ["created_at", column(typeOf("datetime"), (e) => sql`${e}.created_at`)],
  ["person_id", column(typeOf("uuid"), (e) => sql`${e}.person_id`)],
  ["person_mode", column(typeOf("string"), (e) => sql`${PERSON_MODES}[${e}.person_mode + 1]`)],
  ["team_id", { ...column(typeOf("int"), (_, teamId) => integer(teamId)), isVirtual: true }],
  ["$session_id", property("$session_id", true)],
  ["$window_id", property("$window_id", true)],
  ...[0, 1, 2, 3, 4].map((n): [string, Column] => [`$group_${n}`, property(`$group_${n}`, false)]),
]);

/** Parts of PostHog's schema that are not answered yet: refused by name. */
const LATER = new Set(["person", "session", "pdi", "poe", "group_0", "group_1", "group_2", "group_3", "group_4"]);

export function eventsSource(alias: string, sqlAlias: string, teamId: number): Source {
  const of = (key: string, entry: Column): Value => ({
    ...value(entry.read(name(sqlAlias), teamId), entry.type),
    ...(key === "timestamp" ? { isTimestamp: true } : {}),
  });
  return {
    alias,
    table: "events",
    field(chain) {
      const [first, second] = chain;
      if (first === "person" && second === "id") return { value: of("person_id", EVENTS.get("person_id")!), used: 2 };
      const entry = EVENTS.get(String(first));
      if (entry !== undefined) return { value: of(String(first), entry), used: 1 };
      if (LATER.has(String(first))) throw new HogqlError(`The field \`${chain.join(".")}\` is not supported yet.`);
      return null;
    },
    star: () =>
      [...EVENTS].filter(([, entry]) => !entry.isVirtual).map(([key, entry]) => ({ name: key, value: of(key, entry) })),
  };
}

export interface OutputColumn {
  name: string;
  type: Type;
}

/** A subquery, a CTE or a table function: its columns are c0, c1, … */
export function derivedSource(alias: string, sqlAlias: string, columns: readonly OutputColumn[]): Source {
  const of = (index: number): Value => value(sql`${name(sqlAlias)}.${name(`c${index}`)}`, columns[index]!.type);
  return {
    alias,
    table: alias,
    field(chain) {
      const index = columns.findIndex((candidate) => candidate.name === chain[0]);
      return index < 0 ? null : { value: of(index), used: 1 };
    },
    star: () => columns.map(({ name: key }, index) => ({ name: key, value: of(index) })),
  };
}
