import type { SharedLink } from "../../metadata/mod.ts";
import { parseDate } from "../../query/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { dateParam, type Query, type QueryParameters } from "../http/query.ts";
import type { calendarAt } from "../query/question.ts";

const NAMES = ["date_from", "date_to"] as const;

/** The dates that those who have a link may ask for, where its owner lets them. */
export const DATES_QUERY = {
  date_from: dateParam("The first day, in place of that of the insight."),
  date_to: dateParam("The last day; now when absent."),
} satisfies QueryParameters;

/** Whether a request asks for dates of its own. */
export const isDated = (query: Query): boolean => NAMES.some((name) => query.get(name));

const RELATIVE = /^(?:all|-?\d{0,4}[hdwmqyMs](?:Start|End)?)$/;

/** The dates of a request with a link, as filters over its insights. Throws ApiError 400. */
export function readDates(
  query: Query,
  { viewerDates }: SharedLink,
  calendar: ReturnType<typeof calendarAt>,
): JsonObject {
  const given = NAMES.flatMap((name) => {
    const value = query.get(name);
    return value === null || value === "" ? [] : [[name, value] as const];
  });
  for (const [name, value] of given) {
    if (!viewerDates) throw invalidField(name, "not_allowed", "This link has the dates that its owner chose.");
    if (!RELATIVE.test(value) && parseDate(value, calendar).relative !== null) {
      throw invalidField(name, "invalid_input", "Use a date as 2024-01-31 or -7d.");
    }
  }
  return Object.fromEntries(given);
}
