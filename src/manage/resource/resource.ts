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
  /** Hidden; absent where its kind cannot be. */
  deleted?: boolean;
  /** What those below an admin may do with it, null for the default; absent where its kind has no such levels. */
  access?: Access<ObjectLevel> | null;
}

/**
 * One kind of record that the API lists, makes, shows and changes: all that is special to it. The kit (`routes.ts`,
 * `handle.ts`) makes its routes, their part of the document and their answers of it.
 */
export interface Resource<T extends Entity, V extends object, C extends AccountCall = EnvironmentCall, S = null> {
  /** One of it, as summaries and messages say. */
  noun: string;
  /** Of its list, in front of the slash. */
  path: string;
  /** Under what keys are allowed it; `*`: only to keys with every scope. */
  scope: (typeof SCOPE_OBJECTS)[number] | "*";
  /** What the activity log calls it. */
  log: ActivityScope;
  /** In place of the usual ones. */
  summaries?: Partial<Record<"list" | "create" | "retrieve" | "change", string>>;

  /** All that a client may set; what is read of a body are `V`. */
  fields: Fields;
  /** Those that are read of a new one alone, or of a changed one alone. */
  newOnly?: readonly string[];
  changeOnly?: readonly string[];
  /** Those without which none is made. */
  requires?: readonly (keyof V & string)[];
  /** Bodies that come as forms. */
  forms?: { create: TSchema; change: TSchema };
  /** Reads a body that may be a form; JSON where absent. */
  readBody?(call: C): Promise<JsonObject>;

  /** What shows one. */
  schema: TSchema;
  /** What shows a page of a list; pages of `schema` where absent. */
  pageSchema?: TSchema;
  /** What `list` reads of the query string, beside page and order. */
  listQuery?: QueryParameters;
  /** What a list can be ordered by, and is where nothing is said; by name where absent. */
  orders?: { columns: Readonly<Record<string, string>>; first: string };
  /** What `find` reads of the query string. */
  findQuery?: QueryParameters;

  /** The one that `:id` names, a deleted one too. */
  find(tx: Tx, call: C): Promise<T | null>;
  list(tx: Tx, call: C, page: ListPage): Promise<Listed<T>>;
  /** Throws ApiError for values that cannot be; before anything is written. */
  check?(call: C, values: V): void;
  /** Saves a new one. Throws ApiError. */
  make(tx: Tx, call: C, values: V): Promise<T>;
  /** Saves a changed one, and what belongs to it. Throws ApiError. Gives it, and what `logged` does not tell of. */
  change(tx: Tx, call: C, before: T, values: V): Promise<{ after: T; others?: Change[] }>;

  /** What the activity log calls one. */
  nameOf(record: T): string | null;
  /** Whether the log does not tell of its making. */
  isDraft?(record: T): boolean;
  /** What it compares. */
  logged(tx: Tx, record: T): JsonObject | Promise<JsonObject>;
  /** The table with what others than admins may do with one; absent where its kind has no such levels. */
  table?: ControlledTable;

  /** Bodies of answers; absent where all are shown by `whole`. */
  show?(tx: Tx, call: C, records: readonly T[]): Promise<object[]>;
  /** How records are shown whole, where that takes more than `show` has. */
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
