import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";

// What schemas of the API document are written with. One with an `$id` is written once, under `components`.

type Nullable<T extends TSchema> = TSchema & { static: Static<T> | null };

/** The schema, or null. */
export function nullable<T extends TSchema>(schema: T): Nullable<T> {
  const { type, $id, format } = schema;
  if ($id !== undefined || typeof type !== "string" || schema.enum !== undefined || format !== undefined) {
    return Type.Union([schema, Type.Null()]) as unknown as Nullable<T>;
  }
  return Type.Unsafe({ ...schema, type: [type, "null"] });
}

/** One of a few values. */
export function oneOf<const T extends string | number | boolean | null>(values: readonly T[]) {
  return Type.Unsafe<T>({ enum: [...values] });
}

/** The members of an object, all of which are there unless `Type.Optional` says otherwise; `$id` names the schema. */
export function object<T extends TProperties>($id: string, members: T): TObject<T> {
  return Type.Object(members, { $id });
}

export const text = (description?: string) => Type.String({ description });
export const integer = (description?: string) => Type.Integer({ description });
export const anything = (description?: string) => Type.Unknown({ description });
/** An object with members of any name. */
export const anyObject = (description?: string) => Type.Object({}, { additionalProperties: true, description });
export const TIME = Type.String({ format: "date-time" });
export const UUID = Type.String({ format: "uuid" });
export const URL_TEXT = Type.String({ format: "uri" });
/** Text of another media type than JSON. */
export const media = (contentMediaType: string, description?: string) => Type.String({ contentMediaType, description });
