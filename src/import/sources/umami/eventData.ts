import type { Json, JsonObject } from "../../../types/mod.ts";
import { numberOf, objectOf, Properties, parseTime, textOf } from "../../mapping/mod.ts";

/** The properties that `event_data` has of an event, by its id. */
export type DataOfEvents = (eventId: string) => Properties;

/** A row of `event_data`: one property of an event. */
export interface Datum {
  eventId: string;
  key: string;
  value: Json;
}

/** Umami's numbers of types. */
const NUMBER = 2;
const BOOLEAN = 3;
const DATE = 4;
const ARRAY = 5;

/** Reads a row of `event_data`; null for one that says nothing. */
export function datumOf(row: JsonObject): Datum | null {
  const eventId = textOf(row.website_event_id);
  const key = textOf(row.data_key);
  if (eventId === null || key === null) return null;
  const value = readValue(row);
  return value === null ? null : { eventId, key, value };
}

function readValue(row: JsonObject): Json {
  const text = textOf(row.string_value);
  const type = numberOf(row.data_type);
  if (type === NUMBER) return numberOf(row.number_value) ?? numberOf(text) ?? text;
  if (type === BOOLEAN) return text === "true" ? true : text === "false" ? false : text;
  if (type === DATE) return timeText(textOf(row.date_value) ?? text);
  return type === ARRAY && text !== null ? listIn(text) : text;
}

function timeText(text: string | null): string | null {
  const ms = text === null ? null : parseTime(text);
  return ms === null ? text : new Date(ms).toISOString();
}

function listIn(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return Array.isArray(value) || objectOf(value) !== null ? value : text;
  } catch {
    return text;
  }
}

/** No `event_data` was given. */
export const noData: DataOfEvents = () => new Properties();
