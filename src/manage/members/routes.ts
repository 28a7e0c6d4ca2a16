import { accountRoutes, type Route } from "../serve/route.ts";
import { INVITE_ROUTES } from "./invites.ts";
import { MEMBER_ROUTES } from "./members.ts";
import { ROLE_MEMBER_ROUTES } from "./roleMembers.ts";
import { ROLE_ROUTES } from "./roles.ts";

/** Who belongs to the organization. */
export const memberRoutes: Route[] = accountRoutes([
  ...MEMBER_ROUTES,
  ...INVITE_ROUTES,
  ...ROLE_ROUTES,
  ...ROLE_MEMBER_ROUTES,
]);
