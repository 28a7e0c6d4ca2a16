import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidQuery, ofPart } from "./errors.ts";

// What the shapes of nodes are written with.

export const optional = <T extends TSchema>(type: T) => Type.Optional(Type.Union([type, Type.Null()]));
export const object = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });
/** Read elsewhere, or for the eye only. */
export const anything = Type.Optional(Type.Unknown());

export const DateRangeSchema = object({
  date_from: optional(Type.String()),
  date_to: optional(Type.String()),
  explicitDate: optional(Type.Boolean()),
  excludeIncompletePeriods: optional(Type.Boolean()),
});

export function asObject(json: Json, place: string): JsonObject {
  if (json === null || typeof json !== "object" || Array.isArray(json)) {
    throw invalidQuery(place === "" ? "query" : place, "must be an object");
  }
  return json;
}

/** Checks a value's shape; the message names the first wrong field. Errors: TerminalError `invalid_query`. */
export function check<T extends TSchema>(schema: T, value: unknown, place: string): Static<T> {
  const found = Value.Errors(schema, value).First();
  if (found === undefined) return value as Static<T>;
  const error = innermost(found);
  const path = [place, ...error.path.split("/").slice(1)].filter((part) => part !== "").join(".");
  if (error.message === "Unexpected property") throw invalidQuery(path, "unknown field");
  const choices = choicesOf(error.schema);
  const problem = choices === null ? error.message : `must be one of ${choices.join(", ")}`;
  throw invalidQuery(path, `${problem}, not ${shown(error.value)}`);
}

/** Checks the shape of the node around an insight, which names a part of its answer. Errors: `InvalidPart`. */
export const checkPart = <T extends TSchema>(schema: T, part: unknown): Static<T> =>
  ofPart(() => check(schema, part, ""));

/** The values of a union of nothing but values; null for other shapes. */
function choicesOf({ anyOf }: TSchema): unknown[] | null {
  return anyOf?.every((one: TSchema) => "const" in one) ? anyOf.map((one: TSchema) => one.const) : null;
}

/** An optional value is one of a union with null: what is wrong with it says more than that it is neither. */
function innermost(error: ValueError): ValueError {
  if (choicesOf(error.schema) !== null) return error;
  const inner = error.type === ValueErrorType.Union ? error.errors[0]?.First() : undefined;
  return inner === undefined ? error : innermost(inner);
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
