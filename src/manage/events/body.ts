import { isJsonObject, type Json } from "../../types/mod.ts";

/** Of a person beside an event only what names it. */
const NAMING = ["email", "name", "username"];

/** An event as this API shows it, from the cells `*` and `person` of a listing. */
export function eventBody(event: Json, person: Json) {
  const { uuid, event: name, distinct_id, properties, timestamp, elements, elements_chain } = objectOf(event);
  return {
    id: uuid,
    distinct_id,
    properties,
    event: name,
    timestamp: new Date(String(timestamp)).toISOString().replace("Z", "+00:00"),
    person: personBody(objectOf(person)),
    elements,
    elements_chain,
  };
}

function personBody({ uuid, is_identified, distinct_id, properties }: ReturnType<typeof objectOf>) {
  if (uuid === undefined) return null;
  const all = objectOf(properties ?? null);
  const naming = Object.fromEntries(NAMING.filter((key) => all[key] !== undefined).map((key) => [key, all[key]]));
  return { is_identified, distinct_ids: [distinct_id], properties: naming };
}

const objectOf = (value: Json) => (isJsonObject(value) ? value : {});
