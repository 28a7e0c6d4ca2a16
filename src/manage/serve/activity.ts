import {
  type Activity,
  type ActivityFilter,
  findUsers,
  listActivity,
  type NewActivity,
  recordActivity,
  type User,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { linkTo } from "../http/link.ts";
import { positiveParam } from "../http/page.ts";
import { numberParam, type Query, textParam } from "../http/query.ts";
import { isoTime, json } from "../http/reply.ts";
import { readId } from "./guard.ts";
import type { AccountCall } from "./route.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** What `activityReply` reads. */
export const ACTIVITY_QUERY = {
  limit: numberParam(`How many at most; ${MAX_LIMIT} and less.`, DEFAULT_LIMIT),
  page_size: numberParam("The same; `limit` comes first."),
  page: numberParam("From 1 on.", 1),
};
/** What `readActivityFilter` and `activityReply` read. */
export const ACTIVITY_LOG_QUERY = {
  scope: textParam("What kind of record, e.g. `Insight`."),
  item_id: textParam("The id of one record."),
  user: textParam("The id or uuid of the user that did it."),
  ...ACTIVITY_QUERY,
};

/** What was done; by whom and when the call says. */
export type Done = Omit<NewActivity, "userId" | "organizationId" | "atMs">;

/** By whom and when; `userId` is null for the operator. */
export type Who = Pick<NewActivity, "userId" | "organizationId" | "atMs">;

export function whoOf(call: AccountCall): Who {
  const { id: userId, organizationId } = call.caller.user;
  return { userId, organizationId, atMs: call.nowMs };
}

/** Notes what the caller did, in the transaction that does it. */
export function recordOf(tx: Tx, call: AccountCall, done: Done): Promise<void> {
  return recordActivity(tx, { ...done, ...whoOf(call) });
}

/** What a client asks for of a whole log: `scope`, `item_id`, and `user` by id or uuid. */
export function readActivityFilter(query: Query): ActivityFilter {
  const [scope, itemId, user] = ["scope", "item_id", "user"].map((name) => query.get(name) ?? undefined);
  const userId = readId(user);
  return { scope, itemId, ...(userId === null ? { userUuid: user } : { userId }) };
}

/**
 * The answer of every activity route: `{results, next, previous, total_count}`, newest first. Read from `limit`
 * (`page_size`) and `page`; a page beyond the last one is empty.
 */
export async function activityReply(call: AccountCall, filter: ActivityFilter): Promise<Response> {
  const asked = positiveParam(call.query.get("limit") ?? call.query.get("page_size"));
  const limit = asked === 0 ? DEFAULT_LIMIT : Math.min(asked, MAX_LIMIT);
  const page = Math.max(1, positiveParam(call.query.get("page")));
  const { count, entries, users } = await call.deps.db.read(async (tx) => {
    const { count, items: entries } = await listActivity(tx, filter, { limit, offset: (page - 1) * limit });
    const ids = entries.map((entry) => entry.userId);
    return { count, entries, users: await findUsers(tx, ids) };
  });
  const link = (target: number) => linkTo(call.url, { limit, page: target });
  return json({
    results: entries.map((entry) => entryBody(entry, users)),
    next: page * limit < count ? link(page + 1) : null,
    previous: page > 1 ? link(page - 1) : null,
    total_count: count,
  });
}

function entryBody(entry: Activity, users: Map<number, User>) {
  const user = entry.userId === null ? undefined : users.get(entry.userId);
  return {
    id: entry.uuid,
    user:
      user === undefined
        ? { first_name: "System", email: null, is_system: true }
        : { first_name: user.firstName, email: user.email },
    activity: entry.activity,
    scope: entry.scope,
    item_id: entry.itemId,
    detail: { ...entry.detail, merge: null, trigger: null, type: null },
    created_at: isoTime(entry.atMs),
  };
}
