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

const { email, password, current_password } = USER_FIELDS;

/**
 * The body of a change. Another password or e-mail, by which the user logs in, needs the current password; of a new password the body
 * then has the hash. Only a session may set them: a key that was stolen must not become a login, nor take it from its user.
 * Throws ApiError 400, 403, 429.
 */
export async function readUserChange(call: AccountCall): Promise<JsonObject> {
  const body = await call.body();
  const { deps, caller } = call;
  const { email: address = caller.user.email } = readFields({ email }, body);
  // Clients send whole objects back.
  const changed = body.password !== undefined ? "password" : address !== caller.user.email ? "email" : null;
  if (changed === null) return body;
  if (caller.grant.kind !== "session")
    throw permissionDenied(
      `A session can set ${changed === "email" ? "an e-mail" : "a password"}, a personal API key cannot.`,
    );
  const given = readFields({ password, current_password }, body);
  await requirePassword(call, given.current_password, changed);
  return given.password === undefined ? body : { ...body, password: await deps.passwords.hash(given.password) };
}

/** Throws ApiError 400 unless the current password was given and is right, and 429. `changed`: the field that needs it. */
async function requirePassword(call: AccountCall, given: string | undefined, changed: string): Promise<void> {
  const { deps, caller } = call;
  if (given === undefined) {
    throw invalidField("current_password", "required", `This field is required when updating your ${changed}.`);
  }
  const trier = { address: call.address(), email: caller.user.email };
  deps.passwords.tries.check(trier, deps.now());
  const former = await deps.db.read((tx) => readPasswordHash(tx, caller.user.id));
  if (!(await deps.passwords.verify(given, former))) {
    throw invalidField("current_password", "incorrect_password", "Your current password is incorrect.");
  }
  deps.passwords.tries.forget(trier);
}
