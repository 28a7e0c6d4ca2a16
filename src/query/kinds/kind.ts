import type { TProperties, TSchema } from "@sinclair/typebox";
import type { JsonFile } from "../../lake/mod.ts";
import type { GroupIndex, Json, JsonObject } from "../../types/mod.ts";
import type { Query } from "../hogql/syntax/tree.ts";
import type { Options } from "../insight/behind.ts";
import type { QueryContext } from "../source/context.ts";
import type { Explained } from "../source/explainingLake.ts";
import type { Calendar } from "../time/dates.ts";

/**
 * What lists of insights call the kinds of queries. The names are PostHog's, and clients send no others: a new kind takes one of
 * them, or is found by none.
 */
export const LISTS = ["TRENDS", "FUNNELS", "RETENTION", "PATHS", "STICKINESS", "LIFECYCLE", "JSON", "SQL"] as const;

/** How long a result is good for, in milliseconds. */
export interface Ages {
  /** How long it is very fresh. */
  freshMs: number;
  /** How long it is given to a caller that would rather not wait. */
  lazyMs: number;
  /** The pause that a client should keep before it asks for a calculation again; advice only. */
  clientPauseMs: number;
}

/** What a dashboard, or a request, puts over the queries shown in it. */
export interface Overrides {
  /** `date_from`, `date_to`, `properties`, `breakdown_filter`. */
  filters: JsonObject;
  /** By variable id: `{variableId, code_name, value}`. */
  variables: JsonObject;
}

/** A result for a spreadsheet. */
export interface Table {
  columns: string[];
  rows: Json[][];
}

/** A kind of query that can be saved. */
export interface SavedKind {
  readonly name: string;
  /** The name under which lists of insights find it; absent where they do not. */
  readonly listedAs?: (typeof LISTS)[number];
  /** How results of a node, whose shape nobody has checked, age. */
  ages(source: JsonObject): Ages;
  /** The node as it is asked under overrides; the same object where these change nothing. */
  override(source: JsonObject, overrides: Overrides): JsonObject;
}

/** A kind of query that is answered: all that the rest of Weir knows of it. Its schema must take `explain`. */
export interface Kind extends SavedKind {
  /** The shape of its nodes, for the API document. */
  readonly schema: TSchema;
  /** The members of its answers, for the API document, `results` included; those that every answer has are left out. */
  readonly response: TProperties;
  /** Checks a node. Errors: TerminalError `invalid_query` that names the place. */
  read(source: JsonObject): ReadQuery;
  /** What was answered to it as a table. */
  table(response: JsonObject): Table;
  /** The form that PostHog has given up and old clients send, where the kind had one. */
  readonly legacy?: {
    /** What its `insight` says. */
    names: readonly Json[];
    nodeOf(filters: JsonObject): JsonObject;
  };
}

/** A node whose shape is right. */
export interface ReadQuery {
  /** HogQL of its own: what it asks, columns, conditions. */
  readonly texts: readonly string[];
  /** Its parts that hold filters, in which there may be HogQL, too. */
  readonly filters: unknown;
  readonly filterTestAccounts: boolean;
  /** Whether the answer tells the statements that were run. */
  readonly explain: boolean;
  /**
   * The dates that it asks about, as one text: equal dates and equal data give an equal answer. Null where each moment has an answer
   * of its own. Errors: TerminalError `invalid_query` for a text that is no date.
   */
  dates(calendar: Calendar): string | null;
  /** The people or groups behind the parts of its answer; absent where its rows are not about any. */
  readonly actors?: ReadActors;
  /** Errors: TerminalError `invalid_query`, `invalid_hogql` (a `HogqlError`), and those of `Lake.query`. */
  run(context: QueryContext): Promise<QueryResponse>;
}

/** The people or groups behind the parts of an answer. */
export interface ReadActors {
  /**
   * Those behind one part: a point, step, cell, edge or bar. `part`: the node around the insight (`InsightActorsQuery`,
   * `FunnelsActorsQuery`, `StickinessActorsQuery`, `FunnelCorrelationActorsQuery`), whose members name the part; each kind checks its own.
   * Errors: as of `ReadQuery.run`.
   */
  behind(part: JsonObject, context: QueryContext): Promise<ActorRows>;
  /** The parts that can be asked for, as `InsightActorsQueryOptions` answers. */
  options(context: QueryContext): Promise<Options>;
}

/** Actors as rows, in no order, each once. */
export interface ActorRows {
  /** Has the column `actor_id` (a person's uuid, a distinct id or a group's key; never NULL), and `columns`. */
  query: Query;
  /** The type of which they are groups; null for people. */
  group: GroupIndex | null;
  /** What else of an actor may be selected, such as `event_count`. */
  columns: readonly string[];
}

/** What PostHog's clients see, without the fields of the cache; each kind says what more it gives. */
export interface QueryResponse extends Explained {
  /** A list; of some questions an object. */
  results: unknown[] | JsonObject;
  /** The rows where they are long; `results` is an empty list then. */
  resultsFile?: JsonFile;
  error: null;
  /** Seconds of each step. */
  timings: { k: string; t: number }[];
}
