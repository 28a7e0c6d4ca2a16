import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import type { Overrides } from "./kind.ts";

/** A list of filters: empty where none is given. */
export const listed = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** The range of the overrides as a part of a node. Either end takes the place of both: a range is meant as a whole. */
export function overridingDates({ date_from: from = null, date_to: to = null }: JsonObject): JsonObject {
  return from === null && to === null ? {} : { dateRange: { date_from: from, date_to: to } };
}

/** An insight under overrides: with their dates, with their filters beside its own, and with their breakdown if it has any. */
export const overrideInsight =
  ({ breaksDown }: { breaksDown: boolean }) =>
  (source: JsonObject, { filters }: Overrides): JsonObject => {
    const further = listed(filters.properties);
    const { breakdown_filter: breakdownFilter } = filters;
    const changes: JsonObject = {
      ...overridingDates(filters),
      ...(breaksDown && isJsonObject(breakdownFilter) && { breakdownFilter }),
      ...(further.length > 0 && { properties: both(source.properties, further) }),
    };
    return Object.keys(changes).length === 0 ? source : { ...source, ...changes };
  };

/** Those present and the further ones, all of which must hold. */
export function both(present: Json | undefined, further: Json[]): Json {
  const group = (values: Json[]): Json => ({ type: "AND", values });
  if (Array.isArray(present)) return present.length === 0 ? further : group([group(present), group(further)]);
  return isJsonObject(present) ? group([present, group(further)]) : further;
}

/** What no override changes. */
export const asItIs = (source: JsonObject): JsonObject => source;
