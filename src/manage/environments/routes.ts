import { empty } from "../http/reply.ts";
import { routesOf } from "../resource/routes.ts";
import { whoOf } from "../serve/activity.ts";
import { accountRoutes, type EnvironmentCall, environmentRoutes, type HandledBy, type Route } from "../serve/route.ts";
import { ENVIRONMENT_ACTIONS } from "./actions.ts";
import { deleteEnvironment } from "./projects.ts";
import { ALL_ENVIRONMENTS, ENVIRONMENTS, ENVIRONMENTS_OF_PROJECT } from "./resource.ts";

const { retrieve, change, remove } = routesOf(ENVIRONMENTS);
const { list, create } = routesOf(ENVIRONMENTS_OF_PROJECT);

/** The environment itself, by the path that names it. */
const OBJECT_ROUTES: HandledBy<EnvironmentCall>[] = [
  { ...retrieve, path: "" },
  { ...change, path: "" },
  {
    ...remove,
    path: "",
    summary: "Delete an environment: its key and its data are gone at once; the last one takes its project with it",
    level: "admin",
    async handle(call) {
      await call.deps.db.write((tx) => deleteEnvironment(tx, whoOf(call), call.environment));
      return empty(204);
    },
  },
];

const BY_ID = { confinement: "environment", environmentParam: "id" } as const;
const BY_PROJECT_ID = { confinement: "environment", environmentParam: "project_id" } as const;
const OF_PROJECT = "/api/projects/:project_id/environments/";

export const environmentSettingsRoutes: Route[] = [
  ...accountRoutes([routesOf(ALL_ENVIRONMENTS).list]),
  { ...list, path: OF_PROJECT, confinement: "project" },
  { ...create, path: OF_PROJECT, confinement: "project", scope: "*", level: "admin" },
  ...[...OBJECT_ROUTES, ...ENVIRONMENT_ACTIONS].map((route) => ({
    ...route,
    path: `${OF_PROJECT}:id/${route.path}`,
    ...BY_ID,
  })),
  ...OBJECT_ROUTES.map((route) => ({ ...route, path: "/api/environments/:project_id/", ...BY_PROJECT_ID })),
  ...environmentRoutes(ENVIRONMENT_ACTIONS),
];
