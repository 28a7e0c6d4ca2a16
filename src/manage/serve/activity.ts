import { Type } from "@sinclair/typebox";
import {
  type Activity,
  type ActivityFilter,
  findUsers,
  listActivity,
  type NewActivity,
  recordActivity,
  type User,
} from "../../metadata/mod.ts";
import { anything, integer, nullable, object, oneOf, TIME, text, URL_TEXT, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { linkTo } from "../http/link.ts";
import { positiveParam } from "../http/page.ts";
import { numberParam, type Query, textParam } from "../http/query.ts";
import { isoTime, json } from "../http/reply.ts";
import { readId } from "./guard.ts";
import type { AccountCall, HandledBy, Scope } from "./route.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** What `activityReply` reads. */
const ACTIVITY_QUERY = {
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

const CHANGE = object("Change", {
  type: text("What kind of record."),
  action: oneOf(["changed", "created", "deleted"]),
  field: text(),
  before: anything(),
  after: anything(),
});

const ACTIVITY = object("Activity", {
  id: UUID,
  user: Type.Object({
    first_name: text(),
    email: nullable(text()),
    is_system: Type.Optional(Type.Literal(true)),
  }),
  activity: text("`created`, `updated`, `deleted`, …"),
  scope: text("What kind of record."),
  item_id: text(),
  detail: Type.Object({
    name: nullable(text()),
    short_id: nullable(text()),
    changes: nullable(Type.Array(CHANGE)),
    merge: Type.Null(),
    trigger: Type.Null(),
    type: Type.Null(),
  }),
  created_at: TIME,
});

/** A page of what was done, newest first, by `limit` and `page`. */
const ACTIVITY_PAGE = object("ActivityPage", {
  results: Type.Array(ACTIVITY),
  next: nullable(URL_TEXT),
  previous: nullable(URL_TEXT),
  total_count: integer(),
});

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

interface ActivityRoute<C extends AccountCall> extends Pick<HandledBy<C>, "path" | "summary"> {
  scope?: Scope;
  /** The parameters that it reads; with ACTIVITY_LOG_QUERY those of a whole log. */
  query?: typeof ACTIVITY_QUERY;
  /** Whose activity. Throws ApiError. */
  filter(call: C): ActivityFilter | Promise<ActivityFilter>;
}

/** A route that tells what was done, newest first. */
export function activityRoute<C extends AccountCall>(route: ActivityRoute<C>): HandledBy<C> {
  const { filter, scope = "activity_log:read", query = ACTIVITY_QUERY, ...place } = route;
  const handle = async (call: C) => activityReply(call, await filter(call));
  return { method: "GET", ...place, scope, query, responses: { 200: ACTIVITY_PAGE }, handle };
}

/**
 * The answer of every activity route: `{results, next, previous, total_count}`, newest first. Read from `limit`
 * (`page_size`) and `page`; a page beyond the last one is empty.
 */
async function activityReply(call: AccountCall, filter: ActivityFilter): Promise<Response> {
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
