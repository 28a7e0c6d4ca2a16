import { type TSchema, Type } from "@sinclair/typebox";
import { integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { ANSWERED, HELP, SAVED, WRAPPERS } from "../../query/mod.ts";

/** A calculation in the background. `results`, once it is there, is what the query endpoint would answer. */
const QUERY_STATUS = object("QueryStatus", {
  id: text("What to poll and to cancel it by."),
  team_id: integer(),
  insight_id: Type.Null(),
  dashboard_id: Type.Null(),
  query_async: Type.Literal(true),
  complete: Type.Boolean({ description: "Also where it failed." }),
  error: Type.Boolean(),
  error_message: nullable(text()),
  results: nullable(Type.Ref("QueryAnswer")),
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

const ANSWER = {
  ...CACHE_FIELDS,
  cache_key: text(),
  timezone: text("IANA name."),
  calculation_trigger: Type.Null(),
};
const RESULT = {
  error: nullable(text()),
  timings: Type.Array(object("Timing", { k: text("The step."), t: Type.Number({ description: "Seconds." }) })),
  explain: Type.Array(text("A statement that was run, and what it read.")),
};

/** The members beside `results` may be absent: an answer that is kept may be of an earlier release. */
function answerOf({ name, response: { results, ...others } }: (typeof ANSWERED)[number]): TSchema {
  const { properties } = Type.Partial(Type.Object({ ...others, ...RESULT }));
  return object(`${name}Answer`, { ...ANSWER, results: results!, ...properties });
}

/** What is said of the language has nothing of the cache. */
const helpAnswerOf = ({ name, response }: (typeof HELP)[number]): TSchema => object(`${name}Answer`, response);

/** What is known of the cache, and the result of a kind of query where there is one; or what is said of the language. */
export const QUERY_ANSWER = Type.Union(
  [object("NoResultYet", ANSWER), ...ANSWERED.map(answerOf), ...HELP.map(helpAnswerOf)],
  { $id: "QueryAnswer" },
);

export const POLLED = object("PolledQuery", { query_status: QUERY_STATUS });
export const MESSAGE = object("Message", { message: text() });
export const KEY_MAY_ASK = object("KeyMayAsk", { user: text() });

/** A query node that can be saved; whether its kind can be calculated is told when it is asked. */
export const SAVED_NODE = Type.Union(
  [
    Type.Object({ kind: oneOf(SAVED.map(({ name }) => name)) }, { additionalProperties: true }),
    Type.Object({ kind: oneOf([...WRAPPERS]), source: Type.Ref("SavedNode") }, { additionalProperties: true }),
  ],
  { $id: "SavedNode" },
);

/** A query node, or one that only says how to show what its source gives. */
export const QUERY_NODE = Type.Union(
  [
    ...[...ANSWERED, ...HELP].map(({ name, schema }): TSchema => ({ ...schema, $id: name })),
    Type.Object(
      { kind: oneOf([...WRAPPERS]), source: Type.Ref("QueryNode") },
      { additionalProperties: true, $id: "WrapperNode" },
    ),
  ],
  { $id: "QueryNode" },
);
