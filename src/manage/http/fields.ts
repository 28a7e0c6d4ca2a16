import { type TSchema, Type } from "@sinclair/typebox";
import * as schemas from "../../openapi/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { invalidField } from "./errors.ts";

/** Why one value is refused; the name of the field is added by `readFields`. */
export class FieldError extends Error {
  constructor(
    readonly code: string,
    readonly detail: string,
    /** Place inside a nested value, e.g. `0`; null where clients are not told a field. */
    readonly path: readonly string[] | null = [],
  ) {
    super(detail);
  }

  /** The same, as the problem of a member of something. */
  under(name: string): FieldError {
    return this.path === null ? this : new FieldError(this.code, this.detail, [name, ...this.path]);
  }
}

/** One writable field: how it is documented and how a client's value is read. */
export interface Field<T> {
  /** What a client may send. */
  schema: TSchema;
  /** What it is kept and shown as, where that is less. */
  shown?: TSchema;
  /** Throws FieldError. Accepts what Django's serializers accept, e.g. "5" for an integer. */
  read(value: Json): T;
}

export type Fields = Record<string, Field<unknown>>;
export type FieldValues<F extends Fields> = { [K in keyof F]?: F[K] extends Field<infer T> ? T : never };

/**
 * The values of the known fields that the body has, in the order of `fields`; other keys are ignored, as clients
 * send whole objects back. The first problem is thrown.
 */
export function readFields<F extends Fields>(fields: F, body: JsonObject): FieldValues<F> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value !== undefined) values[name] = readField(name, field, value);
  }
  return values as FieldValues<F>;
}

/** The value of one field, or of a parameter of the query string. Throws ApiError 400. */
export function readField<T>(name: string, field: Field<T>, value: Json): T {
  try {
    return field.read(value);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const attr = error.path === null ? null : [name, ...error.path].join("__");
    throw invalidField(attr, error.code, error.detail);
  }
}

/** The value of a field that must be there. */
export function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw invalidField(name, "required", "This field is required.");
  return value;
}

export function nullable<T>(field: Field<T>): Field<T | null> {
  return {
    schema: schemas.nullable(field.schema),
    shown: schemas.nullable(shownOf(field)),
    read: (value) => (value === null ? null : field.read(value)),
  };
}

/** A field whose value is kept in another form. */
export function mapped<T, R>(field: Field<T>, change: (value: T) => R): Field<R> {
  return { ...field, read: (value) => change(field.read(value)) };
}

export function refuseNull(value: Json): void {
  if (value === null) throw new FieldError("null", "This field may not be null.");
}

const NO_NUL = "^[^\\u0000]*$";
const NOT_BLANK = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$";
const NOT_EMPTY = "^[^\\u0000]+$";

/** `isExact`: spaces around it are a part of it. */
export function text(o: { maxLength?: number; blank?: boolean; isExact?: boolean } = {}): Field<string> {
  const { maxLength } = o;
  const filled = o.isExact ? NOT_EMPTY : NOT_BLANK;
  return {
    schema: Type.Unsafe({ type: ["string", "number"], maxLength, pattern: o.blank ? NO_NUL : filled }),
    shown: Type.String({ maxLength }),
    read(value) {
      refuseNull(value);
      if (typeof value !== "string" && typeof value !== "number") {
        throw new FieldError("invalid_input", "Not a valid string.");
      }
      const read = String(value).toWellFormed();
      const kept = o.isExact ? read : read.trim();
      if (kept.includes("\0")) {
        throw new FieldError("null_characters_not_allowed", "Null characters are not allowed.");
      }
      if (kept === "" && !o.blank) throw new FieldError("blank", "This field may not be blank.");
      if (o.maxLength !== undefined && [...kept].length > o.maxLength) {
        throw new FieldError("max_length", `Ensure this field has no more than ${o.maxLength} characters.`);
      }
      return kept;
    },
  };
}

const TRUE_VALUES: readonly Json[] = [true, 1, "1", "true", "True", "TRUE", "t", "yes", "on"];
const FALSE_VALUES: readonly Json[] = [false, 0, "0", "false", "False", "FALSE", "f", "no", "off"];

const BOOLEAN = Type.Unsafe({
  $id: "Boolean",
  description: "`true` or `false`, or what forms have in their place.",
  enum: [...FALSE_VALUES, ...TRUE_VALUES],
});

export function boolean(): Field<boolean> {
  return {
    schema: BOOLEAN,
    shown: Type.Boolean(),
    read(value) {
      refuseNull(value);
      if (TRUE_VALUES.includes(value)) return true;
      if (FALSE_VALUES.includes(value)) return false;
      throw new FieldError("invalid_input", "Must be a valid boolean.");
    },
  };
}

function checkRange(value: number, o: { min?: number; max?: number }): void {
  if (o.max !== undefined && value > o.max) {
    throw new FieldError("max_value", `Ensure this value is less than or equal to ${o.max}.`);
  }
  if (o.min !== undefined && value < o.min) {
    throw new FieldError("min_value", `Ensure this value is greater than or equal to ${o.min}.`);
  }
}

/** A pattern of the texts that are integers of the range. */
function digitsOf({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
}: {
  min?: number;
  max?: number;
}): string {
  if (max - min < 10) return `^(${Array.from({ length: max - min + 1 }, (_, i) => min + i).join("|")})$`;
  const digits = `[0-9]{0,${String(Math.min(max, 999_999_999)).length - 2}}`;
  return `^${min < 0 ? "-?" : ""}${min === 1 ? "[1-9]" : "[0-9]"}${digits}$`;
}

const INT32 = { min: -2_147_483_648, max: 2_147_483_647 };

export function integer(o: { min?: number; max?: number } = INT32): Field<number> {
  const range = { minimum: o.min, maximum: o.max };
  return {
    schema: Type.Unsafe({ type: ["integer", "string"], ...range, pattern: digitsOf(o) }),
    shown: Type.Integer(range),
    read(value) {
      refuseNull(value);
      const isText = typeof value === "string" && /^\s*[-+]?\d{1,20}(\.0*)?\s*$/.test(value);
      const number = typeof value === "number" || isText ? Number(value) : Number.NaN;
      if (!Number.isInteger(number)) throw new FieldError("invalid_input", "A valid integer is required.");
      checkRange(number, o);
      return number;
    },
  };
}

/** A decimal number, kept as text with a fixed number of places, e.g. "0.40". */
export function decimal(o: { min: number; max: number; places: number }): Field<string> {
  return {
    schema: Type.Unsafe({
      type: ["number", "string"],
      minimum: o.min,
      maximum: o.max,
      pattern: `^(${o.min}|${o.max})(\\.0{0,${o.places}})?$|^${o.min}\\.[0-9]{0,${o.places}}$`,
    }),
    shown: Type.String({ pattern: `^[0-9]+\\.[0-9]{${o.places}}$` }),
    read(value) {
      refuseNull(value);
      const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
      const match = /^[-+]?(?:\d{1,20}(?:\.(\d*))?|\.(\d+))$/.exec(text);
      if (match === null) throw new FieldError("invalid_input", "A valid number is required.");
      checkRange(Number(text), o);
      if ((match[1] ?? match[2] ?? "").replace(/0+$/, "").length > o.places) {
        throw new FieldError("max_decimal_places", `Ensure that there are no more than ${o.places} decimal places.`);
      }
      return Number(text).toFixed(o.places);
    },
  };
}

/** One of a few values. */
export function choice<const T extends string | number>(values: readonly T[]): Field<T> {
  return {
    schema: schemas.oneOf([...new Set(values.flatMap((value) => [value, String(value)]))]),
    shown: schemas.oneOf(values),
    read(value) {
      refuseNull(value);
      const found = values.find((candidate) => candidate === value || String(candidate) === value);
      if (found === undefined) {
        const shown = typeof value === "string" ? value : JSON.stringify(value);
        throw new FieldError("invalid_choice", `"${shown}" is not a valid choice.`);
      }
      return found;
    },
  };
}

export { isJsonObject as isObject };

/** What a client sees of a field. */
export function shownOf({ schema, shown }: Field<unknown>): TSchema {
  return shown ?? schema;
}

/** The members of an answer that show these fields. */
export function shownFields<F extends Fields>(fields: F): Record<keyof F, TSchema> {
  const entries = Object.entries(fields).map(([name, field]) => [name, shownOf(field)]);
  return Object.fromEntries(entries) as Record<keyof F, TSchema>;
}

/** The schema of a body with these fields, for the API document. */
export function bodySchema(fields: Fields, required: readonly string[] = []): TSchema {
  const entries = Object.entries(fields).map(([name, { schema }]): [string, TSchema] => [
    name,
    required.includes(name) ? schema : Type.Optional(schema),
  ]);
  return Type.Object(Object.fromEntries(entries));
}
