import type { ActivityFilter } from "../../metadata/mod.ts";
import { invalidField } from "../http/errors.ts";
import { flagParam, jsonIn, type Query, textParam } from "../http/query.ts";
import { timeIn } from "../http/time.ts";
import { readId } from "../serve/guard.ts";

const listParam = (description: string) => textParam(`${description} A JSON list, or with commas between them.`);

/** What `readActivityFilter` reads. */
export const ACTIVITY_LOG_QUERY = {
  scope: textParam("What kind of record, e.g. `Insight`."),
  scopes: listParam("Some of these kinds."),
  item_id: textParam("The id of one record."),
  item_ids: listParam("The ids of some."),
  user: textParam("The id or uuid of the user that did it."),
  users: listParam("The uuids of some."),
  activities: listParam("What was done, e.g. `created`, `updated`, `deleted`."),
  is_system: flagParam("Only what the service itself did, or only what users did."),
  start_date: textParam("Not before this time, ISO 8601."),
  end_date: textParam("Not after it."),
};

/** Which entries of a whole log a client asks for. Throws ApiError 400 for a time that is none. */
export function readActivityFilter(query: Query): ActivityFilter {
  const given = (name: string) => query.get(name) || undefined;
  const user = given("user");
  const userId = readId(user);
  const isSystem = given("is_system");
  return {
    scope: given("scope"),
    itemId: given("item_id"),
    ...(userId === null ? { userUuid: user } : { userId }),
    scopes: listIn(given("scopes")),
    itemIds: listIn(given("item_ids")),
    users: listIn(given("users")),
    activities: listIn(given("activities")),
    isSystem: isSystem === undefined ? undefined : isSystem.toLowerCase() === "true",
    fromMs: timeOf("start_date", given("start_date")),
    toMs: timeOf("end_date", given("end_date")),
  };
}

/** The texts of a list; undefined where there are none. */
function listIn(text = ""): string[] | undefined {
  const json = jsonIn(text);
  const entries = Array.isArray(json) ? json.map(String) : text.split(",").map((entry) => entry.trim());
  const kept = entries.filter((entry) => entry !== "");
  return kept.length === 0 ? undefined : kept;
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = timeIn(text);
  if (ms === null) throw invalidField(name, "invalid_input", "Expected an ISO 8601 time.");
  return ms;
}
