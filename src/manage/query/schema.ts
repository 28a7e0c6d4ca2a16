import { type TSchema, Type } from "@sinclair/typebox";
import { anything, integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { ANSWERED, SAVED, WRAPPERS } from "../../query/mod.ts";

/** A calculation in the background. `results`, once it is there, is what the query endpoint would answer. */
export const QUERY_STATUS = object("QueryStatus", {
  id: text("What to poll and to cancel it by."),
  team_id: integer(),
  insight_id: Type.Null(),
  dashboard_id: Type.Null(),
  query_async: Type.Literal(true),
  complete: Type.Boolean({ description: "Also where it failed." }),
  error: Type.Boolean(),
  error_message: nullable(text()),
  results: nullable(Type.Ref("QueryAnswer") as TSchema),
  start_time: TIME,
  pickup_time: nullable(TIME),
  end_time: nullable(TIME),
  expiration_time: nullable(TIME),
  task_id: UUID,
  query_progress: nullable(
    object("QueryProgress", {
      time_elapsed: Type.Number({ description: "Milliseconds." }),
      bytes_read: Type.Null(),
      rows_read: nullable(Type.Number()),
      estimated_rows_total: nullable(Type.Number()),
      active_cpu_time: Type.Null(),
    }),
  ),
  labels: Type.Null(),
});

/** What every answer to a query says of the cache. */
export const CACHE_FIELDS = {
  is_cached: Type.Boolean(),
  last_refresh: nullable(TIME),
  cache_target_age: nullable(TIME),
  next_allowed_client_refresh: nullable(TIME),
  query_status: nullable(QUERY_STATUS),
};

/** A result with what is known of the cache; the kind of query says what else it has. */
export const QUERY_ANSWER = Type.Object(
  {
    ...CACHE_FIELDS,
    cache_key: text(),
    timezone: text("IANA name."),
    calculation_trigger: Type.Null(),
    results: Type.Optional(
      Type.Array(anything(), {
        description:
          "Of a HogQLQuery and an EventsQuery rows; of a TrendsQuery items. Absent where there is no result yet.",
      }),
    ),
    columns: Type.Optional(Type.Array(text())),
    types: Type.Optional(
      Type.Array(anything(), { description: "ClickHouse's names, those of a HogQLQuery as [column, type]." }),
    ),
    hasMore: Type.Optional(Type.Boolean()),
    hogql: Type.Optional(text("The query as HogQL.")),
    limit: Type.Optional(integer()),
    offset: Type.Optional(integer()),
    nextCursor: Type.Optional(nullable(text("Of an EventsQuery: the `before` of the next page."))),
    error: Type.Optional(nullable(text())),
    timings: Type.Optional(
      Type.Array(object("Timing", { k: text("The step."), t: Type.Number({ description: "Seconds." }) })),
    ),
    modifiers: Type.Optional(Type.Record(Type.String(), Type.String())),
    resolved_date_range: Type.Optional(Type.Object({ date_from: TIME, date_to: TIME })),
    explain: Type.Optional(Type.Array(text("A statement that was run, and what it read."))),
  },
  { $id: "QueryAnswer", additionalProperties: true },
);

export const POLLED = object("PolledQuery", { query_status: QUERY_STATUS });
export const MESSAGE = object("Message", { message: text() });
export const KEY_MAY_ASK = object("KeyMayAsk", { user: text() });

/** A query node that can be saved; whether its kind can be calculated is told when it is asked. */
export const SAVED_NODE = Type.Union(
  [
    Type.Object({ kind: oneOf(SAVED.map(({ name }) => name)) }, { additionalProperties: true }),
    Type.Object(
      { kind: oneOf([...WRAPPERS]), source: Type.Ref("SavedNode") as TSchema },
      { additionalProperties: true },
    ),
  ],
  { $id: "SavedNode" },
);

/** A query node, or one that only says how to show what its source gives. */
export const QUERY_NODE = Type.Union(
  [
    ...ANSWERED.map(({ name, schema }): TSchema => ({ ...schema, $id: name })),
    Type.Object(
      { kind: oneOf([...WRAPPERS]), source: Type.Ref("QueryNode") as TSchema },
      { additionalProperties: true, $id: "WrapperNode" },
    ),
  ],
  { $id: "QueryNode" },
);
