import { findEnvironment, findSharedLink } from "../../metadata/mod.ts";
import { authenticationFailed, notFound } from "../http/errors.ts";
import { linkCaller } from "./access.ts";
import type { OpenCall, Route } from "./route.ts";

const PARAM = "sharing_access_token";

/** A request that may reach its route. */
export interface Admitted {
  /** In whose name, for the limits; null for a session, which has none. */
  keyId: string | null;
  /** The token of the shared insight that it came with instead of a key. */
  link?: string;
  handle(): Promise<Response>;
}

/** Admits a request that comes with the token of a shared insight instead of a key, where the route knows such. */
export async function admitLink(route: Route, call: OpenCall): Promise<Admitted | null> {
  if (route.confinement !== "environment" || route.handleShared === undefined) return null;
  const token = call.query.get(PARAM);
  if (token === null || call.request.headers.has("authorization")) return null;
  const { handleShared } = route;
  const { link, environment, caller } = await call.deps.db.read(async (tx) => {
    const link = await findSharedLink(tx, token);
    const environment = link === null ? null : await findEnvironment(tx, link.teamId);
    return { link, environment, caller: await linkCaller(tx, environment?.id ?? 0) };
  });
  // The link to a dashboard opens what is below /shared/ alone.
  if (link?.kind !== "insight" || environment === null) throw authenticationFailed("query string");
  if (call.params.project_id !== String(environment.id)) throw notFound("Project not found.");
  const { itemId: insightId } = link;
  return {
    keyId: `shared ${insightId}`,
    link: token,
    handle: () => handleShared({ ...call, environment, caller, insightId }),
  };
}
