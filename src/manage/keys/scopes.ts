import { existingEnvironmentIds } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";
import { SCOPE_OBJECTS } from "../serve/route.ts";

const VALID = new Set(["*", ...SCOPE_OBJECTS.flatMap((object) => [`${object}:read`, `${object}:write`])]);

/** Throws ApiError 400 that names the first unknown scope. */
export function checkScopes(scopes: readonly string[]): void {
  const invalid = scopes.find((scope) => !VALID.has(scope));
  if (invalid !== undefined) throw invalidField("scopes", "invalid_input", `Invalid scope: ${invalid}`);
}

/** Throws ApiError 400 that names the first that is not the key's own organisation. */
export function checkOrganizations(ownId: string, ids: readonly string[]): void {
  const unknown = ids.find((id) => id !== ownId);
  if (unknown !== undefined) throw doesNotExist("scoped_organizations", unknown);
}

/** Throws ApiError 400 that names the first that is no environment. */
export async function checkTeams(tx: Tx, ids: readonly number[]): Promise<void> {
  const existing = await existingEnvironmentIds(tx, ids);
  const unknown = ids.find((id) => !existing.has(id));
  if (unknown !== undefined) throw doesNotExist("scoped_teams", unknown);
}

const doesNotExist = (attr: string, id: string | number) =>
  invalidField(attr, "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
