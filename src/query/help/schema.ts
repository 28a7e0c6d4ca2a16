import { Type } from "@sinclair/typebox";
import { EVENTS } from "../hogql/schema/eventFields.ts";
import type { Fields } from "../hogql/schema/fields.ts";
import { GROUPS, PERSON_DISTINCT_IDS, PERSONS } from "../hogql/schema/peopleFields.ts";
import { SESSIONS } from "../hogql/schema/sessionFields.ts";
import { printName } from "../hogql/syntax/print.ts";
import { anything, check, object } from "../shape/shapes.ts";
import type { Kind, Type as ValueType } from "../value/types.ts";
import type { HelpKind } from "./kind.ts";

/** A column, or a thing with columns of its own, as PostHog's editor has them. */
interface SchemaField {
  name: string;
  /** As it is written in a query. */
  hogql_value: string;
  type: string;
  schema_valid: boolean;
  /** Of a thing with columns: the table that it is a row of, and the names of the columns. */
  table?: string;
  fields?: string[];
  /** The name under which notices and autocompletion refer to it. */
  id: string;
}

interface SchemaTable {
  type: "posthog";
  id: string;
  name: string;
  fields: Record<string, SchemaField>;
}

// Each table reads its rows in a way of its own; what is told of a field is the same for all.
// biome-ignore lint/suspicious/noExplicitAny: `Fields` of any rows
type AnyFields = Fields<any>;

const TABLE_FIELDS: readonly (readonly [table: string, fields: AnyFields])[] = [
  ["events", EVENTS],
  ["groups", GROUPS],
  ["person_distinct_ids", PERSON_DISTINCT_IDS],
  ["persons", PERSONS],
  ["sessions", SESSIONS],
];

/** The table whose row a thing is, by its name. */
const ROW_OF: Readonly<Record<string, string>> = { pdi: "person_distinct_ids", person: "persons", session: "sessions" };

/** PostHog's words for types of columns. */
const TYPES: Partial<Record<Kind, string>> = {
  ...{ string: "string", uuid: "string", int: "integer", float: "float", bool: "boolean" },
  ...{ datetime: "datetime", date: "date", array: "array" },
};

const typeName = ({ kind, isJson }: ValueType): string => (isJson ? "json" : (TYPES[kind] ?? "unknown"));

/** A tree of fields as the answer has it. */
function fieldsOf(fields: AnyFields): Record<string, SchemaField> {
  const shown = [...fields].map(([name, field]): [string, SchemaField] => {
    const common = { name, hogql_value: printName(name), schema_valid: true, id: name };
    if (!("fields" in field)) return [name, { ...common, type: typeName(field.type) }];
    const table = ROW_OF[name] ?? "groups";
    return [name, { ...common, type: "lazy_table", table, fields: [...field.fields.keys()] }];
  });
  return Object.fromEntries(shown);
}

/** All tables of a project with their fields: every project has the same. */
function databaseSchema(): { tables: Record<string, SchemaTable>; joins: [] } {
  const tables = TABLE_FIELDS.map(([name, fields]): [string, SchemaTable] => [
    name,
    { type: "posthog", id: name, name, fields: fieldsOf(fields) },
  ]);
  return { tables: Object.fromEntries(tables), joins: [] };
}

const DatabaseSchemaSchema = object({
  kind: Type.Literal("DatabaseSchemaQuery"),
  modifiers: anything,
  connectionId: anything,
  tags: anything,
  version: anything,
  response: anything,
});

const FIELD = Type.Object({
  name: Type.String(),
  hogql_value: Type.String({ description: "As it is written in a query." }),
  type: Type.String({
    description: "`string`, `integer`, `float`, `boolean`, `datetime`, `array`, `json`, `lazy_table`, …",
  }),
  schema_valid: Type.Boolean(),
  table: Type.Optional(Type.String({ description: "Of a `lazy_table`." })),
  fields: Type.Optional(Type.Array(Type.String(), { description: "Of a `lazy_table`." })),
  id: Type.String(),
});

const TABLE = Type.Object({
  type: Type.Literal("posthog"),
  id: Type.String(),
  name: Type.String(),
  fields: Type.Record(Type.String(), FIELD),
});

/** The tables that SQL can ask, with their fields. */
export const DATABASE_SCHEMA: HelpKind = {
  name: "DatabaseSchemaQuery",
  schema: DatabaseSchemaSchema,
  response: { tables: Type.Record(Type.String(), TABLE), joins: Type.Array(Type.Unknown()) },
  async answer(node) {
    check(DatabaseSchemaSchema, node, "");
    return databaseSchema();
  },
};
