import { type TSchema, Type } from "@sinclair/typebox";
import type { ControlledKind, User } from "../../metadata/mod.ts";
import { anyObject, integer, nullable, object, TIME, text, UUID } from "../../openapi/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { isoTime } from "../http/reply.ts";
import { ACCESS_FIELDS } from "../http/shapes.ts";
import { accessFields, type Controlled, type Viewer } from "../serve/access.ts";

/**
 * A member of an answer: its schema, and the record's member that it shows, or how it is read. A schema alone shows the member of
 * the same name: `team_id` is the record's `teamId`, and where the schema is a time, `created_at` its `createdAtMs`. Record members
 * in epoch milliseconds are shown as ISO 8601.
 */
type Member<T, X> =
  | TSchema
  | readonly [schema: TSchema, from: (keyof T & string) | ((record: T, context: X) => unknown)];
export type Members<T, X> = Readonly<Record<string, Member<T, X>>>;

/** How records are shown: the schema for the document, and the answer itself, with its members in the same order. */
export interface Shape<T, X> {
  schema: TSchema;
  show(record: T, context: X): Record<string, unknown>;
}

/** `name`: of the schema in the document. */
export function shape<T extends object, X = null>(name: string, members: Members<T, X>): Shape<T, X> {
  const entries = Object.entries(members).map(([name, member]) =>
    isRead(member)
      ? { name, schema: member[0], read: typeof member[1] === "function" ? member[1] : shown<T>(name, member[1]) }
      : { name, schema: member, read: shown<T>(name, recordName(name) + (isTime(member) ? "Ms" : "")) },
  );
  return {
    schema: object(name, Object.fromEntries(entries.map(({ name, schema }) => [name, schema]))),
    show(record, context) {
      const body: Record<string, unknown> = {};
      for (const { name, read } of entries) {
        const value = read(record, context);
        if (value !== undefined) body[name] = value;
      }
      return body;
    },
  };
}

const isRead = <T, X>(member: Member<T, X>): member is Extract<Member<T, X>, readonly unknown[]> =>
  Array.isArray(member);

/** What a record calls a member of the API. */
const recordName = (name: string): string => name.replace(/_(\w)/g, (_, first: string) => first.toUpperCase());

const isTime = (schema: TSchema): boolean => schema === TIME || (schema.anyOf as TSchema[] | undefined)?.[0] === TIME;

function shown<T extends object>(name: string, key: string): (record: T) => unknown {
  const isMs = key.endsWith("Ms");
  return (record) => {
    const value = (record as Record<string, unknown>)[key];
    if (value === undefined) throw new Error(`the record has no member "${key}" to show as "${name}"`);
    return isMs ? isoTime(value as number | null) : value;
  };
}

/** The same of every record. */
export const always = <V extends string | number | boolean | null>(value: V) =>
  [value === null ? Type.Null() : Type.Literal(value), () => value] as const;

/** Users by their ids, as answers need them. */
export interface WithUsers {
  users: ReadonlyMap<number, User>;
}

export const USER = shape<User>("User", {
  id: integer(),
  uuid: UUID,
  distinct_id: text(),
  first_name: text(),
  last_name: text(),
  email: text(),
  is_email_verified: Type.Boolean(),
  hedgehog_config: [anyObject(), ({ hedgehogConfig }) => hedgehogConfig ?? {}],
  role_at_organization: text(),
});

/** A user whose id the record has; null for none, or one that is gone. */
export const userOf = <T>(idOf: (record: T) => number | null) => {
  const read = (record: T, { users }: WithUsers) => {
    const user = users.get(idOf(record) ?? Number.NaN);
    return user === undefined ? null : USER.show(user, null);
  };
  return [nullable(USER.schema), read] as const;
};

/** What the viewer may do with a record. */
export const accessMembers = (kind: ControlledKind) =>
  Object.fromEntries(
    (["effective_restriction_level", "effective_privilege_level", "user_access_level"] as const).map((name) => [
      name,
      [
        ACCESS_FIELDS[name],
        (record: Controlled, { viewer }: { viewer: Viewer }) => accessFields(viewer, kind, record)[name],
      ],
    ]),
  ) as Members<Controlled, { viewer: Viewer }>;

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
