import type { Json, JsonObject } from "../../../types/mod.ts";
import { parseExact } from "../../exact.ts";
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
  const value = readValue((name) => row[name]);
  return value === null ? null : { eventId, key, value };
}

/** Reads a row of `revenue`: what an event brought. The same as its `revenue` and `currency` in `event_data`, where these are kept. */
export function revenueOf(row: JsonObject): Datum[] {
  const eventId = textOf(row.event_id);
  const amount = numberOf(row.revenue);
  if (eventId === null || amount === null) return [];
  const currency = textOf(row.currency);
  const revenue = { eventId, key: "revenue", value: amount };
  return currency === null ? [revenue] : [revenue, { eventId, key: "currency", value: currency }];
}

/** The value that a row of `event_data` or `session_data` has, by its `data_type`; null where it has none. */
export function readValue(take: (name: string) => Json | undefined): Json {
  const [text, number, date] = [textOf(take("string_value")), take("number_value"), textOf(take("date_value"))];
  const type = numberOf(take("data_type"));
  if (type === NUMBER) return numberOf(number) ?? numberOf(text) ?? text;
  if (type === BOOLEAN) return text === "true" ? true : text === "false" ? false : text;
  if (type === DATE) return timeText(date ?? text);
  return type === ARRAY && text !== null ? listIn(text) : text;
}

function timeText(text: string | null): string | null {
  const ms = text === null ? null : parseTime(text);
  return ms === null ? text : new Date(ms).toISOString();
}

function listIn(text: string): Json {
  try {
    const value = parseExact(text);
    return Array.isArray(value) || objectOf(value) !== null ? value : text;
  } catch {
    return text;
  }
}

/** No `event_data` was given. */
export const noData: DataOfEvents = () => new Properties();
