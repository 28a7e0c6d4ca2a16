import type { Elysia } from "elysia";
import { CAPTURE_OPERATIONS } from "../capture/operations.ts";
import type { Operation } from "../openapi/mod.ts";
import { actionRoutes } from "./actions/actions.ts";
import { activityLogRoutes } from "./activity/routes.ts";
import { alertRoutes } from "./alerts/routes.ts";
import { annotationRoutes } from "./annotations/routes.ts";
import { batchExportRoutes } from "./batchExports/routes.ts";
import { cohortRoutes } from "./cohorts/cohorts.ts";
import { dashboardRoutes } from "./dashboards/routes.ts";
import { deadLetterRoutes } from "./deadLetters/routes.ts";
import { eventDefinitionRoutes } from "./definitions/events.ts";
import { propertyDefinitionRoutes } from "./definitions/properties.ts";
import { demoRoutes } from "./demo/routes.ts";
import { environmentSettingsRoutes } from "./environments/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { flagRoutes } from "./flags/routes.ts";
import { groupRoutes } from "./groups/routes.ts";
import { importRoutes } from "./imports/routes.ts";
import { insightRoutes } from "./insights/routes.ts";
import { keyRoutes } from "./keys/routes.ts";
import { emptyListRoutes } from "./lists/routes.ts";
import { loginRoutes } from "./login/login.ts";
import { sessionRoutes } from "./login/sessions.ts";
import { setupRoutes } from "./login/setup.ts";
import { signupRoutes } from "./login/signup.ts";
import { memberRoutes } from "./members/routes.ts";
import { operationsRoutes } from "./operations/routes.ts";
import { DOCUMENT_OPERATIONS } from "./operations/schema.ts";
import { organizationRoutes } from "./organizations/routes.ts";
import { personListRoutes } from "./persons/list.ts";
import { personRoutes } from "./persons/routes.ts";
import { personValueRoutes } from "./persons/values.ts";
import { projectRoutes } from "./projects/routes.ts";
import { queryRoutes } from "./queryApi/routes.ts";
import type { ManageDeps } from "./serve/deps.ts";
import { describe } from "./serve/describe.ts";
import { apiPlugin } from "./serve/plugin.ts";
import { isOffered, type Route } from "./serve/route.ts";
import { sharedRoutes } from "./shared/routes.ts";
import { userRoutes } from "./users/routes.ts";

/** Every route of the management API with what it asks of a caller. Nothing is served that is not in here. */
export const ROUTES: readonly Route[] = [
  ...demoRoutes,
  ...projectRoutes,
  ...environmentSettingsRoutes,
  ...keyRoutes,
  ...userRoutes,
  ...loginRoutes,
  ...setupRoutes,
  ...signupRoutes,
  ...sessionRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...activityLogRoutes,
  ...insightRoutes,
  ...dashboardRoutes,
  ...sharedRoutes,
  ...cohortRoutes,
  ...actionRoutes,
  ...alertRoutes,
  ...annotationRoutes,
  ...eventDefinitionRoutes,
  ...propertyDefinitionRoutes,
  ...eventRoutes,
  ...queryRoutes,
  ...personValueRoutes,
  ...personListRoutes,
  ...personRoutes,
  ...deadLetterRoutes,
  ...importRoutes,
  ...groupRoutes,
  ...batchExportRoutes,
  ...flagRoutes,
  ...emptyListRoutes,
  ...operationsRoutes,
];

/** Everything that the service offers, for its document. */
export function operations(): Operation[] {
  return [...CAPTURE_OPERATIONS, ...DOCUMENT_OPERATIONS, ...ROUTES.filter(isOffered).map(describe)];
}

/** The management API, and the document of all that the service answers. */
export const managePlugin = (deps: ManageDeps): Elysia => apiPlugin({ routes: ROUTES, operations }, deps);
