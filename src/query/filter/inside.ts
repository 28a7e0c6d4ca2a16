import { isJsonObject, type Json } from "../../types/mod.ts";

/** What filters, series and breakdowns hold that is more than a value, however deep it stands. */
export interface Inside {
  /** HogQL expressions. */
  hogql: Set<string>;
  /** Whether a filter compares dates, which may be relative to now, or asks what persons did up to now. */
  readsTime: boolean;
}

/** Looks through parts of a node. */
export function lookInside(parts: unknown): Inside {
  const found: Inside = { hogql: new Set(), readsTime: false };
  look(parts as Json, found);
  return found;
}

function look(json: Json, found: Inside): void {
  if (Array.isArray(json)) for (const item of json) look(item, found);
  if (!isJsonObject(json)) return;
  const { type, operator, key, property, breakdown_type: breakdownType, breakdown, math, math_hogql: aggregate } = json;
  const texts = [
    ...(type === "hogql" ? [key, property] : []),
    ...(breakdownType === "hogql" ? [breakdown].flat() : []),
    ...(math === "hogql" ? [aggregate] : []),
  ];
  for (const text of texts) if (typeof text === "string") found.hogql.add(text);
  if (type === "behavioral" || (typeof operator === "string" && operator.startsWith("is_date_"))) {
    found.readsTime = true;
  }
  for (const value of Object.values(json)) look(value, found);
}

/** HogQL that reads the clock, or rolls dice. */
const MOMENTARY = /\b(now\w*|today|yesterday|cur(?:rent_?\w*|date)|rand\w*|generateUUID\w*)\b/i;

/**
 * Whether the moment may be part of what HogQL says. It is judged by its words: its tree costs 10 ms where nobody has asked for it
 * yet, and this is asked before an answer is taken from the cache. A word that means something else costs a calculation only.
 */
export const isMomentaryHogql = (text: string): boolean => MOMENTARY.test(text);

/** Whether the moment may be part of what filters say: dates may be relative, and HogQL among them is not judged. */
export const isMomentary = ({ hogql, readsTime }: Inside): boolean => readsTime || hogql.size > 0;
