import { isJsonObject, type JsonObject, parseUuid } from "../../types/mod.ts";
import { parseExact } from "../exact.ts";
import type { Fields } from "../fields.ts";
import { type Mapped, RowRejected } from "../types.ts";
import { objectIn, propertyColumns, textIn } from "./columns.ts";
import { timeOf } from "./isoTime.ts";

/** Told by PostHog beside an event, and not needed: who its person was then, and when it came in there. */
const NOT_NEEDED = [
  "person_id",
  "person_properties",
  "person_created_at",
  "created_at",
  "_inserted_at",
  "_timestamp",
  "team_id",
  "site_url",
  "person",
];

/** A row of the events model: of a batch export, old or new, or of a query's result. Throws RowRejected. */
export const mapEvent = (row: Fields): Mapped => mapped(row, false);

/** The same of a CSV, which knows texts only. */
export const mapCsvEvent = (row: Fields): Mapped => mapped(row, true);

function mapped(row: Fields, isCsv: boolean): Mapped {
  const event = textIn(row, "event");
  if (event === null) throw refusal(row);
  const distinctId = textIn(row, "distinct_id");
  if (distinctId === null) throw new RowRejected("no_id", "distinct_id is missing");
  const uuid = uuidOf(textIn(row, "uuid"));
  const timestamp = timeOf(textIn(row, "timestamp"), "timestamp");
  const properties = propertiesOf(row, isCsv);
  for (const name of NOT_NEEDED) {
    row.take(name);
    row.take(`*.${name}`);
  }
  return { event: { uuid, event, distinct_id: distinctId, timestamp, properties } };
}

function uuidOf(text: string | null): string {
  if (text === null)
    throw new RowRejected("no_id", "uuid is missing: without it the row would be another event each time");
  const uuid = parseUuid(text);
  if (uuid === null) throw new RowRejected("bad_id", `uuid is none: ${text.slice(0, 60)}`);
  return uuid;
}

/** Those of the event, with what old exports keep beside them. */
function propertiesOf(row: Fields, isCsv: boolean): JsonObject {
  const properties: JsonObject = { ...objectIn(row, "properties"), ...propertyColumns(row, isCsv) };
  addMissing(properties, "$set", objectIn(row, "set"));
  addMissing(properties, "$set_once", objectIn(row, "set_once"));
  const ip = textIn(row, "ip");
  if (ip !== null && properties.$ip === undefined) properties.$ip = ip;
  const chain = textIn(row, "elements_chain");
  if (chain !== null) properties.$elements_chain = chain;
  else addElements(properties, row);
  return properties;
}

function addMissing(properties: JsonObject, name: string, value: JsonObject | null): void {
  if (properties[name] !== undefined || value === null || Object.keys(value).length === 0) return;
  properties[name] = value;
}

/** The list that exports to PostgreSQL have in place of the chain. */
function addElements(properties: JsonObject, row: Fields): void {
  const given = row.take("elements");
  if (properties.$elements !== undefined || properties.$elements_chain !== undefined) return;
  const elements = typeof given === "string" && given.startsWith("[") ? listOf(given) : given;
  if (Array.isArray(elements) && elements.length > 0 && elements.every(isJsonObject)) properties.$elements = elements;
}

function listOf(text: string) {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}

function refusal(row: Fields): RowRejected {
  const isPerson = row.row.person_version !== undefined || row.row.person_distinct_id_version !== undefined;
  if (isPerson) return new RowRejected("no_event", "a row of the persons model: name its files with --persons");
  return new RowRejected("no_event", "event is missing");
}
