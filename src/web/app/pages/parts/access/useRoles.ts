import { useData } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { CURRENT } from "../../../session/members.ts";

/** The list of roles in the cache. */
export const ROLES = "roles";

/** As many as the API gives at once; there are fewer. */
const LIMIT = 1000;

/** The roles, with the members that have them. */
export const useRoles = () =>
  useData(ROLES, () => call("GET /api/organizations/{id}/roles/", { params: CURRENT, query: { limit: LIMIT } }));
