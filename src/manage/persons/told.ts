import { cleanText } from "../../json/mod.ts";
import { isIllegalToMerge, type PersonImport } from "../../persons/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { list, object } from "../http/compound.ts";
import { invalidField } from "../http/errors.ts";
import { boolean, nullable, readFields, required, text } from "../http/fields.ts";
import { sentObject, toldTime } from "../http/told.ts";

const DISTINCT_ID_MAX_CHARACTERS = 200;
const DISTINCT_IDS_MAX = 1_000;

/** What a client tells of a person. */
export const PERSON_FIELDS = {
  distinct_ids: list(text({ maxLength: DISTINCT_ID_MAX_CHARACTERS, isExact: true }), {
    minItems: 1,
    maxItems: DISTINCT_IDS_MAX,
  }),
  properties: object(),
  created_at: nullable(toldTime()),
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
  const properties = sentObject(sent, "properties");
  // Only a merge that identifies gives a person a second id.
  const isIdentified = fields.is_identified ?? distinctIds.length > 1;
  return { kind: "import", distinctIds, properties, createdAtMs: fields.created_at ?? null, isIdentified };
}
