import { Type } from "@sinclair/typebox";
import { type ActivityFilter, activityChoices, findUsers } from "../../metadata/mod.ts";
import { object, text } from "../../openapi/mod.ts";
import { json } from "../http/reply.ts";
import { ORGANIZATIONS } from "../organizations/routes.ts";
import { allVisibleTo } from "../serve/access.ts";
import { activityRoute } from "../serve/activity.ts";
import {
  type AccountCall,
  accountRoutes,
  type EnvironmentCall,
  environmentRoutes,
  type HandledBy,
} from "../serve/route.ts";
import { ACTIVITY_LOG_QUERY, readActivityFilter } from "./filter.ts";

const VALUES = Type.Array(Type.Object({ value: text() }));

const CHOICES = object("ActivityChoices", {
  static_filters: Type.Object({
    users: Type.Array(Type.Object({ value: text("A uuid."), label: text() })),
    scopes: VALUES,
    activities: VALUES,
    clients: Type.Array(Type.Never(), { maxItems: 0 }),
  }),
  detail_fields: Type.Object({}),
});

/** A whole log, under both of PostHog's names, and what it can be narrowed by. `of`: whose log. */
function logRoutes<C extends AccountCall>(
  prefix: string,
  whose: string,
  of: (call: C) => ActivityFilter | Promise<ActivityFilter>,
): HandledBy<C>[] {
  const log = (path: string) =>
    activityRoute<C>({
      path: `${prefix}${path}`,
      summary: `Who did what ${whose}, newest first`,
      query: ACTIVITY_LOG_QUERY,
      filter: async (call) => ({ ...readActivityFilter(call.query), ...(await of(call)) }),
    });
  return [
    log("activity_log/"),
    log("advanced_activity_logs/"),
    {
      method: "GET",
      path: `${prefix}advanced_activity_logs/available_filters/`,
      summary: `By whom, of what and what: all that the log ${whose} has`,
      scope: "activity_log:read",
      responses: { 200: CHOICES },
      handle: async (call) => json(await choicesOf(call, await of(call))),
    },
  ];
}

function choicesOf({ deps }: AccountCall, filter: ActivityFilter) {
  const named = (values: readonly string[]) => values.map((value) => ({ value }));
  return deps.db.read(async (tx) => {
    const { users: ids, scopes, activities } = await activityChoices(tx, filter);
    const users = [...(await findUsers(tx, ids)).values()].map(({ uuid, firstName, lastName, email }) => ({
      value: uuid,
      label: `${firstName} ${lastName}`.trim() || email,
    }));
    const static_filters = { users, scopes: named(scopes), activities: named(activities), clients: [] };
    return { static_filters, detail_fields: {} };
  });
}

export const activityLogRoutes = [
  ...environmentRoutes(
    logRoutes<EnvironmentCall>("", "in the environment", ({ environment, caller }) => ({
      teamId: environment.id,
      visible: allVisibleTo(caller),
    })),
  ),
  ...accountRoutes(
    logRoutes<AccountCall>("organizations/:id/", "anywhere", async (call) => ({
      organizationId: (await ORGANIZATIONS.find(call)).id,
    })).map((route) => ({ ...route, level: "admin" as const })),
  ),
];
