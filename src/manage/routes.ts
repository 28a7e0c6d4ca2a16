import { dashboardRoutes } from "./dashboards/routes.ts";
import { deadLetterRoutes } from "./deadLetters/routes.ts";
import { eventDefinitionRoutes } from "./definitions/events.ts";
import { propertyDefinitionRoutes } from "./definitions/properties.ts";
import { environmentSettingsRoutes } from "./environments/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { flagRoutes } from "./flags/routes.ts";
import { groupRoutes } from "./groups/routes.ts";
import type { Route } from "./http/route.ts";
import { insightRoutes } from "./insights/routes.ts";
import { sharedRoutes } from "./insights/shared.ts";
import { sharingRoutes } from "./insights/sharing.ts";
import { keyRoutes } from "./keys/routes.ts";
import { emptyListRoutes } from "./lists/routes.ts";
import { actionRoutes } from "./objects/actions.ts";
import { cohortRoutes } from "./objects/cohorts.ts";
import { operationsRoutes } from "./operations/routes.ts";
import { organizationRoutes } from "./organizations/routes.ts";
import { personListRoutes } from "./persons/list.ts";
import { personRoutes } from "./persons/routes.ts";
import { projectRoutes } from "./projects/routes.ts";
import { queryRoutes } from "./query/routes.ts";
import { userRoutes } from "./users/routes.ts";

/** Every route of the management API with what it asks of a caller. Nothing is served that is not in here. */
export const ROUTES: readonly Route[] = [
  ...projectRoutes,
  ...environmentSettingsRoutes,
  ...keyRoutes,
  ...userRoutes,
  ...organizationRoutes,
  ...insightRoutes,
  ...sharingRoutes,
  ...sharedRoutes,
  ...dashboardRoutes,
  ...cohortRoutes,
  ...actionRoutes,
  ...eventDefinitionRoutes,
  ...propertyDefinitionRoutes,
  ...eventRoutes,
  ...queryRoutes,
  ...personListRoutes,
  ...personRoutes,
  ...deadLetterRoutes,
  ...groupRoutes,
  ...flagRoutes,
  ...emptyListRoutes,
  ...operationsRoutes,
];
