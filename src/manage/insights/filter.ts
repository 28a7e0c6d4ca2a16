import type { InsightFilter } from "../../metadata/mod.ts";
import { parseDate } from "../../query/mod.ts";
import type { Json } from "../../types/mod.ts";
import { seesAll } from "../http/access.ts";
import { invalidField } from "../http/errors.ts";
import { readId } from "../http/guard.ts";
import type { EnvironmentCall } from "../http/route.ts";
import { calendarAt } from "../query/question.ts";

/** What the list calls the kinds of queries. */
const KINDS: Record<string, readonly string[]> = {
  TRENDS: ["TrendsQuery"],
  FUNNELS: ["FunnelsQuery"],
  RETENTION: ["RetentionQuery"],
  PATHS: ["PathsQuery"],
  STICKINESS: ["StickinessQuery"],
  LIFECYCLE: ["LifecycleQuery"],
  JSON: ["EventsQuery", "ActorsQuery", "PersonsNode", "EventsNode", "SessionsTimelineQuery"],
  SQL: ["HogQLQuery"],
};

/** The conditions of a list, from its parameters; all must hold. Throws ApiError 400. */
export function readInsightFilter(call: EnvironmentCall): InsightFilter {
  const { query } = call;
  const given = (name: string): string | null => query.get(name) || null;
  const filter: InsightFilter = { teamId: call.environment.id, openOnly: !seesAll(call.caller) };
  const shortId = query.get("short_id");
  if (shortId !== null) filter.shortId = shortId;
  const saved = given("saved");
  if (saved !== null) filter.saved = saved.toLowerCase() === "true";
  if (query.has("favorited")) filter.favorited = true;
  if (query.has("user")) filter.createdBy = call.caller.user.id;
  const createdBy = given("created_by");
  if (createdBy !== null) filter.createdBy = userId(createdBy);
  const search = given("search");
  if (search !== null) filter.search = search;
  const dashboards = given("dashboards");
  if (dashboards !== null) filter.dashboards = idList("dashboards", dashboards);
  const kinds = KINDS[given("insight") ?? ""];
  if (kinds !== undefined) filter.kinds = kinds;
  const date = (name: string) => dateOf(call, name, given(name));
  filter.modifiedAfterMs = date("date_from");
  filter.modifiedBeforeMs = date("date_to");
  return filter;
}

function userId(text: string): number {
  const id = readId(text);
  if (id === null) throw invalidField("created_by", "invalid_choice", "Select a valid choice.");
  return id;
}

/** A JSON list of ids, or a single one. */
function idList(name: string, text: string): number[] {
  let value: Json = null;
  try {
    value = JSON.parse(text);
  } catch {
    // The same answer as for a value that is no list.
  }
  const ids = Array.isArray(value) ? value : [value];
  if (ids.every((id) => Number.isSafeInteger(id))) return ids as number[];
  throw invalidField(name, "invalid_input", "Expected a JSON list of ids.");
}

/** A date as in queries: ISO, or relative to now; `all` is no limit. */
function dateOf(call: EnvironmentCall, name: string, text: string | null): number | undefined {
  if (text === null || text === "all") return undefined;
  const { at, relative } = parseDate(text, calendarAt(call.environment, call.nowMs));
  if (relative !== null && relative.unit === null) throw invalidField(name, "invalid_input", "Not a valid date.");
  return at.epochMilliseconds;
}
