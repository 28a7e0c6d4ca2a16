import { ERROR, integer, object, text } from "../../openapi/mod.ts";
import { describeError, requestIdOf } from "../../types/mod.ts";
import { ApiError } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import { whoOf } from "../serve/activity.ts";
import { type AccountCall, accountRoutes, type Route } from "../serve/route.ts";
import { makeDemoProject } from "./project.ts";

const DEMO_PROJECT = object("DemoProject", {
  id: integer(),
  name: text(),
  api_token: text(),
  primary_dashboard: integer("The id of its dashboard."),
});

/** A project to look at, without the command line. */
export const demoRoutes: Route[] = accountRoutes([
  {
    method: "POST",
    path: "projects/demo/",
    summary:
      "Create a project of a made-up product, with a dashboard; its events follow, until `is_generating_demo_data` is false. " +
      "One at a time",
    scope: "*",
    level: "admin",
    responses: { 201: DEMO_PROJECT, 409: ERROR },
    handle: create,
  },
]);

async function create(call: AccountCall): Promise<Response> {
  const { deps, caller } = call;
  // Before anything is made.
  const fill = deps.demo();
  const { organizationId, id: userId } = caller.user;
  const made = await deps.db.write(async (tx) => {
    const made = await makeDemoProject(tx, whoOf(call), { organizationId, userId });
    if (made !== null) return made;
    throw new ApiError(409, "invalid_request", "demo_busy", "Another demo project is being made.");
  });
  const { environment, dashboardId } = made;
  fill(environment).catch((error: unknown) => {
    deps.log(`demo project ${environment.id}: ${describeError(error)}`, requestIdOf(call.request));
  });
  const { id, name, apiToken } = environment;
  return json({ id, name, api_token: apiToken, primary_dashboard: dashboardId }, 201);
}
