import type { TSchema } from "@sinclair/typebox";
import type { ActivityScope, Change, ControlledKind } from "../../metadata/mod.ts";
import type { Responses } from "../../openapi/mod.ts";
import type { Listed, ListPage, Tx } from "../../store/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Fields } from "../http/fields.ts";
import type { QueryParameters } from "../http/query.ts";
import type { AccountCall, EnvironmentCall, SCOPE_OBJECTS } from "../serve/route.ts";

/** What the kit asks of a record. */
export interface Entity {
  id: number | string;
  /** Its environment; absent where it belongs to none. */
  teamId?: number;
  shortId?: string;
  /** Absent where records of the kind cannot be deleted and brought back. */
  deleted?: boolean;
  /** The user that made it. Read where the kind is `controlled`. */
  createdBy?: number | null;
}

/**
 * One kind of record: what the API calls it, what clients may set, how it is found, saved and shown. `Resource` answers requests by
 * it, and `routes.ts` makes the routes with their part of the document. `find`, `list`, `make`, `change` and `remove` are there where
 * a route needs them. `T` is the record, `V` the values that a client sets, `C` the request, `S` what a request wants shown.
 */
export interface Description<T extends Entity, V extends object, C extends AccountCall = EnvironmentCall, S = null> {
  /** One of it, as summaries and messages say. */
  noun: string;
  /** Of its list, e.g. `insights`. */
  path: string;
  /** The scope that a key needs, with `:read` or `:write` behind it; `*`: every scope. */
  scope: (typeof SCOPE_OBJECTS)[number] | "*";
  /** What the activity log calls it. */
  log: ActivityScope;
  /** Where the activity log keeps a record; under its `teamId` and `id` where absent. */
  logItem?(record: T): { teamId: number | null; itemId: string };
  /** In the document, in place of the usual ones. */
  summaries?: Partial<Record<"list" | "create" | "retrieve" | "change" | "remove", string>>;

  /** All that a client may set. */
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
  /** The query parameters that `list` reads. Those of the page and the order are added. */
  listQuery?: QueryParameters;
  /** The columns by which a client can order a list, by their names in `?order=`. Where absent it cannot choose. */
  orders?: Readonly<Record<string, string>>;
  /** The parameter that says it; `order` where absent. */
  orderName?: "order" | "ordering";
  /** The column by which a list is ordered otherwise; `-` before it for descending. `name` where absent. */
  order?: string;
  /** The query parameters that `find` reads. */
  findQuery?: QueryParameters;

  /** The record that the path names, also a deleted one. */
  find?(tx: Tx, call: C): Promise<T | null>;
  /** What is answered where it is not found, in place of the usual text. */
  missing?: string;
  /** The same record, once its other writers wait for this transaction; `find` where absent. Throws ApiError 403 and 404. */
  hold?(tx: Tx, call: C): Promise<T | null>;
  /** A page of the records that are not deleted and that the caller may see. */
  list?(tx: Tx, call: C, page: ListPage): Promise<Listed<T>>;
  /** Throws ApiError for values that are refused; runs before anything is written. */
  check?(call: C, values: V): void;
  /** The values of a new one, with what is read before the transaction that saves it. Throws ApiError. */
  prepare?(call: C, values: V): Promise<V>;
  /** Saves a new one. Throws ApiError. */
  make?(tx: Tx, call: C, values: V): Promise<T>;
  /** Saves a changed one, and what belongs to it. Throws ApiError. `others`: changes that `logged` does not have. */
  change?(tx: Tx, call: C, before: T, values: V): Promise<{ after: T; others?: Change[] }>;
  /** Removes one for good. Throws ApiError. */
  remove?(tx: Tx, call: C, record: T): Promise<unknown>;

  /** The name of a record in the activity log. */
  nameOf(record: T): string | null;
  /** Whether its creation is left out of the activity log. */
  isDraft?(record: T): boolean;
  /** The members that the activity log compares before and after a change. */
  logged?(tx: Tx, record: T): JsonObject | Promise<JsonObject>;
  /** What levels call the kind; absent where its records have none. */
  controlled?: ControlledKind;

  /** The bodies that show records; absent where `whole` shows all of them. */
  show?(tx: Tx, call: C, records: readonly T[]): Promise<object[]>;
  /** Shows the records of an answer about one record. Lists use `show`; where there is none, they use this, too. */
  whole?: {
    query?: QueryParameters;
    responses?: Responses;
    /** What the request wants shown; absent where it has no wish. Throws ApiError, so it is read before anything is changed. */
    wanted?(call: C): S;
    show(call: C, records: readonly T[], wanted: S): Promise<object[]>;
  };
}
