import type { Insight, User } from "../../metadata/mod.ts";
import type { Json } from "../../types/mod.ts";
import { hasLevel } from "../http/guard.ts";
import { isoTime } from "../http/reply.ts";
import type { Caller } from "../http/route.ts";
import { type Answer, cacheFields } from "../query/answer.ts";

/** Restriction and privilege levels of the API: everybody in the project may edit. */
const EVERYONE_CAN_EDIT = 21;
const CAN_EDIT = 37;

export type Users = ReadonlyMap<number, User>;

function userBody(users: Users, id: number | null) {
  const user = id === null ? undefined : users.get(id);
  if (user === undefined) return null;
  return {
    id: user.id,
    uuid: user.uuid,
    distinct_id: user.distinctId,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    is_email_verified: user.isEmailVerified,
    hedgehog_config: user.hedgehogConfig ?? {},
    role_at_organization: user.roleAtOrganization,
  };
}

/** The short form, for lists. */
export function basicInsightBody(insight: Insight, users: Users, answer: Answer | null) {
  return {
    id: insight.id,
    short_id: insight.shortId,
    name: insight.name,
    derived_name: insight.derivedName,
    // A query replaces the legacy form.
    filters: insight.query === null ? insight.filters : {},
    query: insight.query,
    dashboards: [],
    dashboard_tiles: [],
    description: insight.description,
    last_refresh: isoTime(answer?.computedAtMs ?? null),
    refreshing: false,
    saved: insight.saved,
    tags: insight.tags,
    updated_at: isoTime(insight.updatedAtMs),
    created_by: userBody(users, insight.createdBy),
    created_at: isoTime(insight.createdAtMs),
    last_modified_at: isoTime(insight.lastModifiedAtMs),
    favorited: insight.favorited,
  };
}

const NO_ANSWER = {
  is_cached: false,
  last_refresh: null,
  cache_target_age: null,
  next_allowed_client_refresh: null,
  query_status: null,
};

/** The whole object; `answer` is null for an insight without a query. */
export function insightBody(
  insight: Insight,
  users: Users,
  caller: Caller,
  answer: Answer | null,
  timezone: string | null,
) {
  const field = (name: string): Json => answer?.response?.[name] ?? null;
  const isManager = insight.createdBy === caller.user.id || hasLevel(caller.key, "admin");
  const { refreshing: _, ...basic } = basicInsightBody(insight, users, answer);
  return {
    ...basic,
    order: insight.order,
    deleted: insight.deleted,
    ...(answer === null ? NO_ANSWER : cacheFields(answer)),
    result: field("results"),
    hasMore: field("hasMore"),
    columns: field("columns"),
    types: field("types"),
    hogql: field("hogql"),
    last_modified_by: userBody(users, insight.lastModifiedBy),
    is_sample: insight.isSample,
    effective_restriction_level: EVERYONE_CAN_EDIT,
    effective_privilege_level: CAN_EDIT,
    user_access_level: isManager ? "manager" : "editor",
    timezone,
    filters_hash: answer?.cacheKey ?? null,
  };
}
