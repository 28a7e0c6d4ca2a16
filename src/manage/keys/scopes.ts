import { invalidField } from "../http/errors.ts";
import { SCOPE_OBJECTS } from "../http/route.ts";

const VALID = new Set(["*", ...SCOPE_OBJECTS.flatMap((object) => [`${object}:read`, `${object}:write`])]);

/** Throws ApiError 400 that names the first unknown scope. */
export function checkScopes(scopes: readonly string[]): void {
  const invalid = scopes.find((scope) => !VALID.has(scope));
  if (invalid !== undefined) throw invalidField("scopes", "invalid_input", `Invalid scope: ${invalid}`);
}
