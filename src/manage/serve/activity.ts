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
import { numberParam, type QueryParameters } from "../http/query.ts";
import { isoTime, json } from "../http/reply.ts";
import { withoutClosed } from "./closedNames.ts";
import type { AccountCall, HandledBy, Scope } from "./route.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** What every activity route reads. */
const ACTIVITY_QUERY = {
  limit: numberParam(`How many at most; ${MAX_LIMIT} and less.`, DEFAULT_LIMIT),
  page_size: numberParam("The same; `limit` comes first."),
  page: numberParam("From 1 on.", 1),
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
  team_id: nullable(integer("The environment; null for what belongs to the organisation alone.")),
  user: Type.Object({
    id: Type.Optional(integer()),
    uuid: Type.Optional(UUID),
    first_name: text(),
    last_name: Type.Optional(text()),
    email: nullable(text()),
    is_system: Type.Optional(Type.Literal(true)),
  }),
  is_system: Type.Boolean(),
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

interface ActivityRoute<C extends AccountCall> extends Pick<HandledBy<C>, "path" | "summary"> {
  scope?: Scope;
  /** The parameters that it reads, with those of the page. */
  query?: QueryParameters;
  /** Whose activity. Throws ApiError. */
  filter(call: C): ActivityFilter | Promise<ActivityFilter>;
}

/** A route that tells what was done, newest first. */
export function activityRoute<C extends AccountCall>(route: ActivityRoute<C>): HandledBy<C> {
  const { filter, scope = "activity_log:read", query = {}, ...place } = route;
  const handle = async (call: C) => activityReply(call, await filter(call));
  return {
    method: "GET",
    ...place,
    scope,
    query: { ...query, ...ACTIVITY_QUERY },
    responses: { 200: ACTIVITY_PAGE },
    handle,
  };
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
    return { count, entries: await withoutClosed(tx, call, entries), users: await findUsers(tx, ids) };
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
    team_id: entry.teamId,
    user:
      user === undefined
        ? { first_name: "System", email: null, is_system: true }
        : {
            id: user.id,
            uuid: user.uuid,
            first_name: user.firstName,
            last_name: user.lastName,
            email: user.email,
          },
    is_system: user === undefined,
    activity: entry.activity,
    scope: entry.scope,
    item_id: entry.itemId,
    detail: { ...entry.detail, merge: null, trigger: null, type: null },
    created_at: isoTime(entry.atMs),
  };
}
