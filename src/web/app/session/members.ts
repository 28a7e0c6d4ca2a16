import { useData } from "../api/cache.ts";
import { type Answer, call } from "../api/client.ts";

/** Of the list in the cache. */
export const MEMBERS = "members";
/** The organization that every route about members names: the user's own. */
export const CURRENT = { id: "@current" } as const;

export type Member = Answer<"GET /api/organizations/{id}/members/">["results"][number];

/** As many as the API gives at once. */
const LIMIT = 1000;

/** The members, the oldest first. */
export const useMembers = () =>
  useData(MEMBERS, () => call("GET /api/organizations/{id}/members/", { params: CURRENT, query: { limit: LIMIT } }));

/** What a member is called: by name, and by e-mail where there is none. */
export const memberName = ({ user }: Pick<Member, "user">): string => user.first_name || user.email;
