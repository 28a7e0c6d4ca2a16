import { Type } from "@sinclair/typebox";
import { cleanJson, itemsOf, membersOf } from "../../json/mod.ts";
import { integer, object as objectSchema, TIME, text } from "../../openapi/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { list, object } from "./compound.ts";
import { ApiError } from "./errors.ts";
import { type Field, FieldError, readFields, required, text as textField } from "./fields.ts";

/** In valid JSON they are only between tokens. */
const LINE_BREAKS = /[\r\n\t]/g;

/** `Date.parse` alone takes more than ISO 8601, e.g. "0". */
const ISO = /^[+-]?\d{4,6}-\d{2}/;

/** An ISO 8601 time, as epoch milliseconds. */
export function toldTime(): Field<number> {
  const base = textField();
  return {
    schema: TIME,
    read(value) {
      const ms = typeof value === "string" && ISO.test(value.trim()) ? Date.parse(base.read(value)) : Number.NaN;
      if (Number.isNaN(ms)) throw new FieldError("invalid", "Datetime has wrong format. Use ISO 8601.");
      return ms;
    },
  };
}

/** A member that is an object, of an object as it was sent: its numbers keep their digits. On one line, as all stored JSON is. */
export function sentObject(sent: string, name: string): string {
  return cleanJson(membersOf(sent.replace(LINE_BREAKS, " ")).get(name) ?? "{}");
}

/** Field of a request that tells of many. */
export const manyField = (max: number): Field<JsonObject[]> => list(object(), { minItems: 1, maxItems: max });

/** The answer to a request that tells of many: one that cannot be made costs no other. */
export const manyMade = (name: string, subjects: string) =>
  objectSchema(`${name}sMade`, {
    made: integer(`${subjects} that queries see now.`),
    problems: Type.Array(
      objectSchema(`${name}Problem`, { index: integer("In the list that was sent."), detail: text() }),
    ),
  });

/** What a request tells of many, and why some of it cannot be read. `read` throws ApiError. Throws ApiError 400. */
export async function readMany<T>(
  call: { body(): Promise<JsonObject>; bodyText(): Promise<string> },
  name: string,
  o: { field: Field<JsonObject[]>; read(body: JsonObject, sent: string): T },
): Promise<{ told: T[]; problems: { index: number; detail: string }[] }> {
  const bodies = required(name, readFields({ [name]: o.field }, await call.body())[name]);
  const texts = itemsOf(membersOf(await call.bodyText()).get(name) ?? "[]");
  const told: T[] = [];
  const problems: { index: number; detail: string }[] = [];
  for (const [index, body] of bodies.entries()) {
    try {
      told.push(o.read(body, texts[index]!));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems.push({ index, detail: error.message });
    }
  }
  return { told, problems };
}
