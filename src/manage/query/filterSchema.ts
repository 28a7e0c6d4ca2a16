import { type TSchema, Type } from "@sinclair/typebox";
import { anything, nullable, oneOf, text } from "../../openapi/mod.ts";
import { BEHAVIORS, OPERATOR_NAMES } from "../../query/mod.ts";

// Property filters, as bodies and query strings have them. Whether one can be answered is for the query layer to say.

const VALUE = Type.Optional(anything("A text, a number, or a list of them."));
const OPERATOR = oneOf(OPERATOR_NAMES);
const OWNERS = ["event", "person", "group", "session", "cohort", "element", "event_metadata", "feature", "hogql", null];
const open = { additionalProperties: true };

const EVENT_FILTER = Type.Union(
  [
    Type.Object(
      {
        key: Type.String({ minLength: 1, description: "The property; of `hogql` an expression." }),
        type: Type.Optional(oneOf(OWNERS)),
        group_type_index: Type.Optional(anything("Of `group`: the number of its type.")),
        operator: Type.Optional(OPERATOR),
        value: VALUE,
      },
      open,
    ),
    Type.Object({ key: Type.Optional(oneOf(["", null])) }, { ...open, description: "Without a key it is no filter." }),
  ],
  { $id: "PropertyFilter" },
);

const ENTITY = oneOf(["events", "actions"]);
const NAMED = Type.Union([Type.String({ minLength: 1 }), Type.Integer()], {
  description: "The name of the event, or the id of the action.",
});
const NUMBER = Type.Optional(nullable(Type.Integer({ minimum: 1 })));
const INTERVAL = Type.Optional(nullable(oneOf(["minute", "hour", "day", "week", "month", "year"])));
const TEXT = Type.Optional(nullable(Type.String()));

/** Of cohorts: what persons did. Which members go with which `value` is in docs/queries.md#cohorts. */
const BEHAVIOR = Type.Object({
  type: Type.Literal("behavioral"),
  value: oneOf(BEHAVIORS),
  key: NAMED,
  event_type: ENTITY,
  event_filters: Type.Optional(anything("Property filters of the event.")),
  negation: Type.Optional(nullable(Type.Boolean())),
  time_value: NUMBER,
  time_interval: INTERVAL,
  explicit_datetime: TEXT,
  explicit_datetime_to: TEXT,
  operator: Type.Optional(nullable(oneOf(["gte", "gt", "lte", "lt", "eq", "exact"]))),
  operator_value: NUMBER,
  min_periods: NUMBER,
  total_periods: NUMBER,
  seq_event: Type.Optional(nullable(NAMED)),
  seq_event_type: Type.Optional(nullable(ENTITY)),
  seq_time_value: NUMBER,
  seq_time_interval: INTERVAL,
});

const PERSON_FILTER = Type.Union(
  [
    Type.Object(
      {
        type: Type.Literal("person"),
        key: text("The property."),
        operator: Type.Optional(nullable(OPERATOR)),
        value: VALUE,
      },
      open,
    ),
    Type.Object({ type: Type.Literal("cohort"), value: Type.Integer({ description: "The id of the cohort." }) }, open),
    BEHAVIOR,
  ],
  { $id: "PersonFilter" },
);

/** A list of which all must hold, a group, or one filter; each may stand in a list or group, and null is none. */
function filtersOf(one: TSchema): { any: TSchema; group: TSchema } {
  const [anyId, groupId] = [`${one.$id}s`, `GroupOf${one.$id}s`];
  const group = Type.Object(
    { type: oneOf(["AND", "OR"]), values: Type.Optional(nullable(Type.Array(Type.Ref(anyId)))) },
    { $id: groupId, additionalProperties: true },
  );
  const any = Type.Union([Type.Array(Type.Ref(anyId)), group, one, Type.Null()], { $id: anyId });
  return { any, group };
}

/** Filters of events. */
export const EVENT_FILTERS = filtersOf(EVENT_FILTER).any;

const OF_PERSONS = filtersOf(PERSON_FILTER);
/** Filters of persons. */
export const PERSON_FILTERS = OF_PERSONS.any;
/** The filters of a cohort. Those inside of the group are named by a reference, so that the document must have them. */
export const COHORT_FILTERS = Type.Object({ properties: OF_PERSONS.group }, { additionalProperties: true });
