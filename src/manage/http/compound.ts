import { type TSchema, Type } from "@sinclair/typebox";
import * as schemas from "../../openapi/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { type Field, FieldError, refuseNull, shownOf } from "./fields.ts";

// Fields whose values have parts.

export function list<T>(
  item: Field<T>,
  o: { dropBlank?: boolean; minItems?: number; maxItems?: number } = {},
): Field<T[]> {
  return {
    schema: Type.Array(o.dropBlank ? Type.Union([item.schema, Type.Null(), Type.Literal("")]) : item.schema, {
      minItems: o.minItems,
      maxItems: o.dropBlank ? undefined : o.maxItems,
    }),
    shown: Type.Array(shownOf(item), { maxItems: o.maxItems }),
    read(value) {
      refuseNull(value);
      if (!Array.isArray(value)) throw new FieldError("not_a_list", "Expected a list of items but got another type.");
      const kept = o.dropBlank ? value.filter((entry) => entry !== null && entry !== "") : value;
      if (kept.length < (o.minItems ?? 0)) throw new FieldError("empty", "This list may not be empty.");
      if (o.maxItems !== undefined && kept.length > o.maxItems) {
        throw new FieldError("max_length", `Ensure this field has no more than ${o.maxItems} elements.`);
      }
      return kept.map((entry, index) => {
        try {
          return item.read(entry);
        } catch (error) {
          if (!(error instanceof FieldError)) throw error;
          throw error.under(String(index));
        }
      });
    },
  };
}

export function anyJson(): Field<Json> {
  return { schema: Type.Unknown(), read: (value) => value };
}

/** Any object, or one with no keys but the given. */
export function object(o: { keys?: readonly string[]; requiredKeys?: readonly string[] } = {}): Field<JsonObject> {
  const members = Object.fromEntries(
    (o.keys ?? []).map((key) => [key, o.requiredKeys?.includes(key) ? Type.Unknown() : Type.Optional(Type.Unknown())]),
  );
  return {
    schema: Type.Object(members, { additionalProperties: o.keys === undefined }),
    read(value) {
      if (!isJsonObject(value)) throw new FieldError("invalid_input", "Must provide a dictionary or None.");
      const unknown = o.keys === undefined ? [] : Object.keys(value).filter((key) => !o.keys?.includes(key));
      if (unknown.length > 0) throw new FieldError("invalid_input", `Unexpected keys: ${unknown.join(", ")}.`);
      const missing = (o.requiredKeys ?? []).filter((key) => !Object.hasOwn(value, key));
      if (missing.length > 0) throw new FieldError("invalid_input", `Missing keys: ${missing.join(", ")}.`);
      return value;
    },
  };
}

/** An object of which these members are checked; it is kept as it was sent. */
export function members(known: Record<string, { field: Field<unknown>; isRequired?: boolean }>): Field<JsonObject> {
  const schemaOf = ([name, { field, isRequired }]: [string, (typeof known)[string]]): [string, TSchema] => [
    name,
    isRequired ? field.schema : Type.Optional(field.schema),
  ];
  return {
    schema: Type.Object(Object.fromEntries(Object.entries(known).map(schemaOf)), { additionalProperties: true }),
    shown: schemas.anyObject(),
    read(value) {
      if (!isJsonObject(value)) throw new FieldError("invalid_input", "Must provide a dictionary.");
      for (const [name, { field, isRequired }] of Object.entries(known)) {
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        if (member === undefined && isRequired) throw new FieldError("required", "This field is required.", [name]);
        if (member === undefined) continue;
        try {
          field.read(member);
        } catch (error) {
          if (!(error instanceof FieldError)) throw error;
          throw error.under(name);
        }
      }
      return value;
    },
  };
}
