import { type Change, readPasswordHash } from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { readFields } from "../http/fields.ts";
import type { AccountCall } from "../serve/route.ts";
import { USER_FIELDS } from "./fields.ts";

/** What the activity log says of it. */
export const PASSWORD_CHANGED: Change = {
  type: "User",
  action: "changed",
  field: "password",
  before: null,
  after: null,
};

const { password, current_password } = USER_FIELDS;

/**
 * The body of a change. Of a new password it has the hash, once the current one was given and is right. Only a session may set one: a
 * key that was stolen must not become a login. Throws ApiError 400, 403, 429.
 */
export async function readNewPassword(call: AccountCall): Promise<JsonObject> {
  const body = await call.body();
  if (body.password === undefined) return body;
  const { deps, caller } = call;
  if (caller.grant.kind !== "session")
    throw permissionDenied("A session can set a password, a personal API key cannot.");
  const given = readFields({ password, current_password }, body);
  if (given.current_password === undefined) {
    const detail = "This field is required when updating your password.";
    throw invalidField("current_password", "required", detail);
  }
  const trier = { address: call.address(), email: caller.user.email };
  deps.passwords.tries.check(trier, deps.now());
  const former = await deps.db.read((tx) => readPasswordHash(tx, caller.user.id));
  if (!(await deps.passwords.verify(given.current_password, former))) {
    throw invalidField("current_password", "incorrect_password", "Your current password is incorrect.");
  }
  deps.passwords.tries.forget(trier);
  return { ...body, password: await deps.passwords.hash(given.password!) };
}
