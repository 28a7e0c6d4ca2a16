import { cleanJson, cleanText, membersOf } from "../../json/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { isIllegalToMerge, type PersonImport } from "../../persons/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { list, object } from "../http/compound.ts";
import { invalidField } from "../http/errors.ts";
import { boolean, type Field, FieldError, nullable, readFields, required, text } from "../http/fields.ts";

const DISTINCT_ID_MAX_CHARACTERS = 200;
const DISTINCT_IDS_MAX = 1_000;
/** In valid JSON they are only between tokens. */
const LINE_BREAKS = /[\r\n\t]/g;

/** `Date.parse` alone takes more than ISO 8601, e.g. "0". */
const ISO = /^[+-]?\d{4,6}-\d{2}/;

/** An ISO 8601 time, as epoch milliseconds. */
function time(): Field<number> {
  const base = text();
  return {
    schema: schemas.TIME,
    read(value) {
      const ms = typeof value === "string" && ISO.test(value.trim()) ? Date.parse(base.read(value)) : Number.NaN;
      if (Number.isNaN(ms)) throw new FieldError("invalid", "Datetime has wrong format. Use ISO 8601.");
      return ms;
    },
  };
}

/** What a client tells of a person. */
export const PERSON_FIELDS = {
  distinct_ids: list(text({ maxLength: DISTINCT_ID_MAX_CHARACTERS, isExact: true }), {
    minItems: 1,
    maxItems: DISTINCT_IDS_MAX,
  }),
  properties: object(),
  created_at: nullable(time()),
  is_identified: boolean(),
};

/** A person as it was told. `sent`: the same as text, so that numbers keep their digits. Throws ApiError 400. */
export function readPerson(body: JsonObject, sent: string): PersonImport {
  const fields = readFields(PERSON_FIELDS, body);
  const distinctIds = [...new Set(required("distinct_ids", fields.distinct_ids).map(cleanText))];
  const illegal = distinctIds.length > 1 ? distinctIds.find(isIllegalToMerge) : undefined;
  if (illegal !== undefined) {
    throw invalidField("distinct_ids", "invalid", `"${illegal}" names nobody: it cannot be one of several ids.`);
  }
  // On one line, as all stored JSON is.
  const properties = cleanJson(membersOf(sent.replace(LINE_BREAKS, " ")).get("properties") ?? "{}");
  // Only a merge that identifies gives a person a second id.
  const isIdentified = fields.is_identified ?? distinctIds.length > 1;
  return { kind: "import", distinctIds, properties, createdAtMs: fields.created_at ?? null, isIdentified };
}
