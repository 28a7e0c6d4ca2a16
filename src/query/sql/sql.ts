import type { ActivityRequest, EventsRequest, NameMarks, Relations, SqlValue, WalkStatement } from "../../lake/mod.ts";
import { type GroupIndex, TerminalError } from "../../types/mod.ts";
import type { Program } from "../../walk/mod.ts";

/** The types that a bound value is cast to, so that no statement depends on how a driver guesses. */
export type BoundType = "VARCHAR" | "BIGINT" | "DOUBLE" | "BOOLEAN" | "VARCHAR[]";

interface Bound {
  readonly value: SqlValue;
  readonly type: BoundType;
}

/** Gives the text of a bound value, and of a piece. */
interface Texts {
  parameter: (value: string) => string;
  piece: (piece: Sql) => string;
}

/** Where one of the lake's relations goes, or an aggregate of its own. */
interface Related {
  readonly relation: (lake: Relations, texts: Texts) => string;
}

/** Where the name of a walk's table goes. */
interface Walked {
  readonly rows: Sql;
  readonly program: Program;
  readonly journeys: WalkedJourneys | null;
}

/** How the same rows are read where journeys hold the order of some files (their columns: `JourneyWalk`). */
export interface WalkedJourneys {
  /** As `rows`, of the other files, with persons as `RELATION.who` tells them apart. */
  others: Sql;
  /** Actors of the walk are persons by id, not only told apart. */
  isById: boolean;
  fromMs: number | null;
  toMs: number | null;
  names: Sql | NameMarks | null;
  isValueNamed: boolean;
  places: Sql | null;
  keyed: { key: string; rows: Sql; told: Sql } | null;
  made: Sql | null;
  /** As `others`, of all files, where uuids tell the order of rows at one time; else null. */
  whole: Sql | null;
}

/**
 * A piece of SQL: text written in this source, bound values, relations of the lake, and other pieces. There is no way
 * from a string of a user to text: `sql` takes pieces only, `bind` makes a parameter, `name` is for what code made up.
 */
export interface Sql {
  readonly parts: readonly (string | Bound | Related | Walked | Sql)[];
}

const related = (relation: Related["relation"]): Sql => ({ parts: [{ relation }] });

/** A piece that is made when the statement is written, and all else is known. */
export const later = (piece: () => Sql): Sql => related((_, texts) => texts.piece(piece()));

/** A table that a walk over `rows` gives; its columns, and theirs: `WalkStatement`. The same piece is walked once. */
export const walked = (rows: Sql, program: Program, journeys: WalkedJourneys | null): Sql => ({
  parts: [{ rows, program, journeys }],
});

/** `byWalk`, which reads the table of a walk, where journeys hold events; else `plain`, which gives the same rows. */
export const either = (plain: Sql, byWalk: Sql): Sql =>
  related((lake, texts) => texts.piece(lake.journeys() === null ? plain : byWalk));

/** Whose persons are counted: of rows that meet `where`; the result has at most so many `groups`. */
export interface PersonCount {
  where: Sql;
  /** Asked for when the statement is written. */
  groups: () => number;
}

/** The lake's relations (their columns: `Relations`), each a parenthesised SELECT. Keys of users are bound. */
export const RELATION = {
  events: (o: EventsRequest): Sql => related((lake, { parameter }) => lake.events(o, parameter)),
  activity: (o: ActivityRequest): Sql => related((lake) => lake.activity(o)),
  /** An aggregate: how many persons the rows of `alias` have. */
  countPersons: ({ groups, where, alias }: PersonCount & { alias: Sql }): Sql =>
    related((lake, { piece }) => lake.countPersons({ groups: groups(), where: piece(where), alias: piece(alias) })),
  /** What tells persons apart in the rows of `alias`. */
  who: (alias: Sql): Sql => related((lake, { piece }) => lake.who(piece(alias))),
  persons: (o: { properties: boolean; numbers?: boolean }): Sql => related((lake) => lake.persons(o)),
  /** Of a few persons, which is cheap however many there are. */
  personsById: (ids: readonly string[]): Sql =>
    related((lake, { parameter }) => lake.persons({ properties: true, only: listOf(ids, parameter) })),
  distinctIdsOf: (ids: readonly string[]): Sql =>
    related((lake, { parameter }) => lake.distinctIds({ only: listOf(ids, parameter) })),
  distinctIds: related((lake) => lake.distinctIds()),
  moved: related((lake) => lake.moved()),
  groups: (o: { properties: boolean }): Sql => related((lake) => lake.groups(o)),
  personProperty: (key: string): Sql => related((lake, { parameter }) => lake.personProperty(parameter(key))),
  groupProperty: (index: GroupIndex, key: string): Sql =>
    related((lake, { parameter }) => lake.groupProperty(index, parameter(key))),
};

/** A SELECT of uuids. */
const listOf = (uuids: readonly string[], parameter: (text: string) => string): string =>
  `SELECT CAST(unnest(string_split(${parameter(uuids.join(","))}, ',')) AS UUID)`;

/** SQL from a template; what is interpolated must itself be `Sql`. */
export function sql(texts: TemplateStringsArray, ...inner: Sql[]): Sql {
  const parts: (string | Sql)[] = [];
  texts.forEach((text, i) => {
    if (text !== "") parts.push(text);
    const piece = inner[i];
    if (piece !== undefined) parts.push(piece);
  });
  return { parts };
}

/** A value as a parameter `$n::type`. The same value and type share one parameter, so equal expressions stay equal. */
export function bind(value: SqlValue, type: BoundType): Sql {
  return { parts: [{ value, type }] };
}

export const text = (value: string): Sql => bind(value, "VARCHAR");
export const integer = (value: number | bigint): Sql => bind(value, "BIGINT");
export const NULL: Sql = { parts: ["NULL"] };
export const TRUE: Sql = { parts: ["TRUE"] };
export const FALSE: Sql = { parts: ["FALSE"] };

/** An identifier that code made up (c0, t1, …). */
export function name(identifier: string): Sql {
  if (!/^[a-z_][a-z0-9_]*$/.test(identifier)) throw new Error(`not a generated identifier: ${identifier}`);
  return { parts: [identifier] };
}

type Separator = ", " | " AND " | " OR " | " || " | " " | " UNION ALL ";

export function join(pieces: readonly Sql[], separator: Separator): Sql {
  const parts: (string | Sql)[] = [];
  pieces.forEach((piece, i) => {
    if (i > 0) parts.push(separator);
    parts.push(piece);
  });
  return { parts };
}

/** All of the conditions; TRUE where none says more. */
export function allOf(conditions: readonly Sql[]): Sql {
  const telling = conditions.filter((condition) => condition !== TRUE);
  if (telling.length === 0) return TRUE;
  return telling.length === 1 ? telling[0]! : sql`(${join(telling, " AND ")})`;
}

/** From so many on, texts are no longer written out (`isOneOfMany`). */
export const MANY_TEXTS = 200;

/** Whether a text is one of `values`; a short list is written out, which the files' statistics can use. */
export function isOneOf(value: Sql, values: readonly string[]): Sql {
  if (values.length === 1) return sql`${value} = ${text(values[0]!)}`;
  if (values.length >= MANY_TEXTS) return isOneOfMany(value, values, "VARCHAR");
  return sql`${value} IN (${join(values.map(text), ", ")})`;
}

/**
 * Whether a value is one of a long list, which travels as one parameter and is looked up by hash: as thousands of parameters, or as a list that
 * each row is compared with, 20,000 uuids took 10 s. It is a subquery, so it cannot stand in a lambda. Texts for `UUID` must be some.
 */
export function isOneOfMany(value: Sql, texts: readonly string[], type: "VARCHAR" | "UUID"): Sql {
  const members = sql`SELECT unnest(${bind([...texts], "VARCHAR[]")})`;
  return sql`${value} IN (${type === "UUID" ? sql`SELECT CAST(t AS UUID) FROM (${members}) AS m(t)` : members})`;
}

/** The length of a piece's text, counted no further than `max`. What is written later is as long as that. */
export function lengthUpTo(piece: Sql, max: number): number {
  let length = 0;
  for (const part of piece.parts) {
    if (length >= max) break;
    if (typeof part === "object" && "relation" in part) return max;
    if (typeof part === "object" && "rows" in part) length += lengthUpTo(part.rows, max - length);
    else if (typeof part === "object" && "parts" in part) length += lengthUpTo(part, max - length);
    else length += typeof part === "string" ? part.length : 10;
  }
  return length;
}

/** Aliases that use aliases can double a statement with every line; this ends it. */
const MAX_TEXT = 2_000_000;

/**
 * The statement for the driver, with the lake's text of its relations put in.
 * Errors: TerminalError `invalid_query` when it outgrew every reason.
 */
export function render(statement: Sql, lake: Relations): { text: string; params: SqlValue[]; walks: WalkStatement[] } {
  const whole: Whole = { walks: new Map(), length: 0 };
  return { ...renderPart(statement, lake, whole), walks: [...whole.walks.values()] };
}

/** What a statement and its walks share: their length counts together. */
interface Whole {
  readonly walks: Map<Walked, WalkStatement>;
  length: number;
}

function renderPart(statement: Sql, lake: Relations, whole: Whole): { text: string; params: SqlValue[] } {
  const out: string[] = [];
  const params: SqlValue[] = [];
  const numbers = new Map<string, number>();
  const write = (piece: string): void => {
    whole.length += piece.length;
    if (whole.length > MAX_TEXT)
      throw new TerminalError("invalid_query", "The query becomes too large when it is expanded.");
    out.push(piece);
  };
  const walk = (piece: Sql): void => {
    for (const part of piece.parts) {
      if (typeof part === "string") write(part);
      else if ("parts" in part) walk(part);
      else if ("program" in part) write(tableOf(part));
      else if ("relation" in part) write(part.relation(lake, texts));
      else write(parameter(part));
    }
  };
  const tableOf = (walked: Walked): string => {
    const known = whole.walks.get(walked);
    if (known !== undefined) return known.table;
    // The walks of its rows come before it.
    const statement = walkOf(walked, lake, whole);
    const table = `walk${whole.walks.size}`;
    whole.walks.set(walked, { table, ...statement });
    return table;
  };
  const texts: Texts = {
    parameter: (value) => parameter({ value, type: "VARCHAR" }),
    piece: (piece) => {
      const at = out.length;
      walk(piece);
      return out.splice(at).join("");
    },
  };
  const parameter = (bound: Bound): string => `$${numberOf(bound)}::${bound.type}`;
  const numberOf = (bound: Bound): number => {
    const key = `${bound.type}:${typeof bound.value}:${keyOf(bound.value)}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    params.push(bound.value);
    numbers.set(key, params.length);
    return params.length;
  };
  walk(statement);
  return { text: out.join(""), params };
}

function walkOf({ rows, program, journeys }: Walked, lake: Relations, whole: Whole): Omit<WalkStatement, "table"> {
  const held = journeys === null ? null : lake.journeys();
  if (journeys === null || held === null) return { ...renderPart(rows, lake, whole), program, journeys: null };
  const { isById, others, fromMs, toMs, isValueNamed, keyed } = journeys;
  const render = <One extends Sql | null>(one: One) =>
    (one === null ? null : renderPart(one, lake, whole)) as One extends Sql ? ReturnType<typeof renderPart> : null;
  const text = held.hasOthers ? renderPart(others, lake, whole) : { text: "", params: [] };
  const walk = {
    ...held,
    ids: isById ? held.ids : null,
    ...{ fromMs, toMs, isValueNamed },
    names: journeys.names !== null && "named" in journeys.names ? journeys.names : render(journeys.names),
    places: render(journeys.places),
    keyed: keyed === null ? null : { key: keyed.key, rows: render(keyed.rows), told: render(keyed.told) },
    ...{ made: render(journeys.made), whole: render(journeys.whole) },
  };
  return { ...text, program, journeys: walk };
}

function keyOf(value: SqlValue): string {
  return Array.isArray(value) ? JSON.stringify(value.map(keyOf)) : Object.is(value, -0) ? "-0" : String(value);
}
