import { holdRow } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { notFound } from "../http/errors.ts";
import { renewed, requireLevel } from "../serve/guard.ts";
import type { AccountCall } from "../serve/route.ts";

/** The caller's organization, by the path. Throws ApiError 404 for another one. */
export function organizationOf({ params: { id }, caller: { user } }: AccountCall): string {
  if (id === "@current" || id === user.organizationId) return user.organizationId;
  throw notFound("Organization not found.");
}

/**
 * Changes of who belongs to the organization wait for each other, so that the last owner stays. Gives the call with what its caller may
 * do then. Throws ApiError 401, 403 and 404.
 */
export async function holdOrganization<C extends AccountCall>(tx: Tx, call: C): Promise<C> {
  await holdRow(tx, "organizations", organizationOf(call));
  return renewed(tx, call);
}

/** The same for what admins alone may change: the caller may have been one when the request came. */
export async function holdAsAdmin<C extends AccountCall>(tx: Tx, call: C): Promise<C> {
  const own = await holdOrganization(tx, call);
  requireLevel(own.caller, "admin");
  return own;
}
