import type { TSchema } from "@sinclair/typebox";
import type { Access, ActivityScope, Change, ControlledTable, ObjectLevel } from "../../metadata/mod.ts";
import type { Responses } from "../../openapi/mod.ts";
import type { Listed, ListPage, Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Fields } from "../http/fields.ts";
import type { QueryParameters } from "../http/query.ts";
import type { AccountCall, EnvironmentCall, SCOPE_OBJECTS } from "../serve/route.ts";
import { recordName } from "./shape.ts";

/** What the kit asks of a record. */
export interface Entity {
  id: number | string;
  /** Its environment; absent where it belongs to none. */
  teamId?: number;
  shortId?: string;
  /** Absent where records of the kind cannot be deleted and brought back. */
  deleted?: boolean;
  /** What callers below an admin may do with it, null for the default; absent where the kind has no access levels. */
  access?: Access<ObjectLevel> | null;
}

/**
 * The description of one kind of record that the API lists, makes, shows and changes. The kit (`routes.ts`, `handle.ts`) makes
 * the routes, their part of the document and their answers from it.
 */
export interface Resource<T extends Entity, V extends object, C extends AccountCall = EnvironmentCall, S = null> {
  /** One of it, as summaries and messages say. */
  noun: string;
  /** Of its list, e.g. `insights`. */
  path: string;
  /** The scope that a key needs, with `:read` or `:write` behind it; `*`: every scope. */
  scope: (typeof SCOPE_OBJECTS)[number] | "*";
  /** What the activity log calls it. */
  log: ActivityScope;
  /** In the document, in place of the usual ones. */
  summaries?: Partial<Record<"list" | "create" | "retrieve" | "change", string>>;

  /** All that a client may set; `V` is the type of their values. */
  fields: Fields;
  /** Names of those that only a create reads, and of those that only a change reads. */
  newOnly?: readonly string[];
  changeOnly?: readonly string[];
  /** Names of those that a create must have. */
  requires?: readonly (keyof V & string)[];
  /** The schemas of bodies that are sent as forms. */
  forms?: { create: TSchema; change: TSchema };
  /** Reads a body that may be a form; JSON where absent. */
  readBody?(call: C): Promise<JsonObject>;

  /** Of the answer that shows one record. */
  schema: TSchema;
  /** Of a page of the list; pages of `schema` where absent. */
  pageSchema?: TSchema;
  /** The query parameters that `list` reads, beside page and order. */
  listQuery?: QueryParameters;
  /** The orders that a client can ask for, and the usual one. Where absent a list is ordered by name. */
  orders?: { columns: Readonly<Record<string, string>>; first: string };
  /** The query parameters that `find` reads. */
  findQuery?: QueryParameters;

  /** The record that `:id` names, also a deleted one. */
  find(tx: Tx, call: C): Promise<T | null>;
  /** A page of the records that are not deleted and that the caller may see. */
  list(tx: Tx, call: C, page: ListPage): Promise<Listed<T>>;
  /** Throws ApiError for values that are refused; runs before anything is written. */
  check?(call: C, values: V): void;
  /** Saves a new one. Throws ApiError. */
  make(tx: Tx, call: C, values: V): Promise<T>;
  /** Saves a changed one, and what belongs to it. Throws ApiError. `others`: changes that `logged` does not have. */
  change(tx: Tx, call: C, before: T, values: V): Promise<{ after: T; others?: Change[] }>;

  /** The name of a record in the activity log. */
  nameOf(record: T): string | null;
  /** Whether its creation is left out of the activity log. */
  isDraft?(record: T): boolean;
  /** The members that the activity log compares before and after a change. */
  logged(tx: Tx, record: T): JsonObject | Promise<JsonObject>;
  /** The table that keeps the access level of each record; absent where the kind has none. */
  table?: ControlledTable;

  /** The bodies that show records; absent where `whole` shows all of them. */
  show?(tx: Tx, call: C, records: readonly T[]): Promise<object[]>;
  /** How one record is shown where `show` is the short form for lists. Without `show` lists use it, too. */
  whole?: {
    query: QueryParameters;
    responses: Responses;
    /** What the request wants shown. Throws ApiError, so it is read before anything is changed. */
    wanted(call: C): S;
    show(call: C, records: readonly T[], wanted: S): Promise<object[]>;
  };
}

/** Any resource whose records and calls are these. */
export type ResourceOf<T extends Entity, C extends AccountCall> = Pick<
  Resource<T, object, C>,
  "noun" | "log" | "table" | "find" | "nameOf"
>;

type RecordName<K extends string> = K extends `${infer A}_${infer B}` ? `${A}${Capitalize<RecordName<B>>}` : K;

/** The values that a body has, under the names that records have: `derived_name` is `derivedName`. */
export function recordValues<V extends object>(
  values: V,
): {
  [K in keyof V & string as RecordName<K>]?: Exclude<V[K], undefined>;
} {
  const entries = Object.entries(values).map(([name, value]) => [recordName(name), value]);
  return Object.fromEntries(entries) as ReturnType<typeof recordValues<V>>;
}

/** Members of a record by their names in the API, for the activity log. */
export function apiValues(record: object, names: readonly string[]): JsonObject {
  const members = record as JsonObject;
  return Object.fromEntries(names.map((name) => [name, members[recordName(name)]!]));
}
