import { type TSchema, Type } from "@sinclair/typebox";
import type { InsightFilter } from "../../metadata/mod.ts";
import { kindsListedAs, LISTS, parseDate } from "../../query/mod.ts";
import type { Json } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { dateParam, flagParam, jsonIn, jsonParam, textParam, wordParam } from "../http/query.ts";
import { calendarAt } from "../query/question.ts";
import { tagSet } from "../resource/tags.ts";
import { visibleTo } from "../serve/access.ts";
import type { EnvironmentCall } from "../serve/route.ts";

const oneOrMore = (one: TSchema) => Type.Union([one, Type.Array(one, { minItems: 1 })]);

/** What `readInsightFilter` reads. */
export const FILTER_QUERY = {
  short_id: textParam("The short id of one insight."),
  saved: flagParam("Only those that are saved, or only those that are not."),
  favorited: textParam("Only favourites, whatever the value."),
  user: textParam("Only your own, whatever the value."),
  created_by: jsonParam("The id of the user that made them, or a list of ids.", oneOrMore(Type.Integer())),
  tags: jsonParam("A tag that they have, or a list of tags.", oneOrMore(Type.String())),
  search: textParam("Part of the name or of a tag."),
  dashboards: jsonParam("The ids of dashboards on all of which they are.", oneOrMore(Type.Integer())),
  insight: wordParam("The kind of query.", LISTS),
  date_from: dateParam("Modified after it."),
  date_to: dateParam("Modified before it."),
};

/** The conditions of a list, from its parameters; all must hold. Throws ApiError 400. */
export function readInsightFilter(call: EnvironmentCall): InsightFilter {
  const { query } = call;
  const given = (name: string): string | null => query.get(name) || null;
  const filter: InsightFilter = { teamId: call.environment.id, visible: visibleTo(call.caller, "insight") };
  const shortId = query.get("short_id");
  if (shortId !== null) filter.shortId = shortId;
  const saved = given("saved");
  if (saved !== null) filter.saved = saved.toLowerCase() === "true";
  if (query.has("favorited")) filter.favorited = true;
  if (query.has("user")) filter.createdBy = [call.caller.user.id];
  const createdBy = given("created_by");
  if (createdBy !== null) filter.createdBy = userIds(createdBy);
  const tags = given("tags");
  if (tags !== null) filter.tags = tagSet(tagList(tags));
  const search = given("search");
  if (search !== null) filter.search = search;
  const dashboards = given("dashboards");
  if (dashboards !== null) filter.dashboards = idList("dashboards", dashboards);
  const kinds = kindsListedAs(given("insight") ?? "");
  if (kinds.length > 0) filter.kinds = kinds;
  const date = (name: string) => dateOf(call, name, given(name));
  filter.modifiedAfterMs = date("date_from");
  filter.modifiedBeforeMs = date("date_to");
  return filter;
}

/** The entries of a JSON list, or the one that is alone; null for another text. */
const listed = (text: string): Json[] => [jsonIn(text) ?? null].flat();

function idList(name: string, text: string): number[] {
  const ids = listed(text);
  if (ids.every((id) => Number.isSafeInteger(id))) return ids as number[];
  throw invalidField(name, "invalid_input", "Expected a JSON list of ids.");
}

function userIds(text: string): number[] {
  const ids = listed(text);
  if (ids.length > 0 && ids.every((id) => Number.isSafeInteger(id))) return ids as number[];
  throw invalidField("created_by", "invalid_choice", "Select a valid choice.");
}

function tagList(text: string): string[] {
  const tags = listed(text);
  if (tags.length > 0 && tags.every((tag) => typeof tag === "string")) return tags;
  throw invalidField("tags", "invalid_input", "Expected a JSON list of tags.");
}

/** A date as in queries: ISO, or relative to now; `all` is no limit. */
function dateOf(call: EnvironmentCall, name: string, text: string | null): number | undefined {
  if (text === null || text === "all") return undefined;
  const { at, relative } = parseDate(text, calendarAt(call.environment, call.nowMs));
  if (relative !== null && relative.unit === null) throw invalidField(name, "invalid_input", "Not a valid date.");
  return at.epochMilliseconds;
}
