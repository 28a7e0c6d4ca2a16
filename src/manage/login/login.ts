import { endSession, findUserByEmail, holdRow, readPasswordHash } from "../../metadata/mod.ts";
import { ERROR } from "../../openapi/mod.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { readFields, required, text } from "../http/fields.ts";
import { empty } from "../http/reply.ts";
import { anyPassword } from "../passwords/fields.ts";
import { withoutSession } from "../serve/cookies.ts";
import { requireOwnOrigin } from "../serve/csrf.ts";
import { requireKnownHost } from "../serve/host.ts";
import type { AccountCall, OpenCall, Route } from "../serve/route.ts";
import { openSession, recordSession } from "../serve/session.ts";
import { ME } from "../users/shape.ts";
import { BODY_MAX_BYTES, welcomed } from "./welcomed.ts";

const FIELDS = { email: text({ maxLength: 254 }), password: anyPassword() };

/** Opening a session with a password, and ending it. */
export const loginRoutes: Route[] = [
  {
    method: "POST",
    path: "/api/login/",
    summary: "Log in with e-mail and password: cookies of a session",
    confinement: "open",
    body: FIELDS,
    requires: ["email", "password"],
    responses: { 200: ME.schema, 403: ERROR, 429: ERROR },
    handle: login,
  },
  {
    method: "POST",
    path: "/api/logout/",
    summary: "End the session of this browser",
    confinement: "user",
    scope: [],
    responses: { 204: null },
    handle: logout,
  },
];

async function login(call: OpenCall): Promise<Response> {
  requireKnownHost(call);
  requireOwnOrigin(call);
  const { db, passwords, now } = call.deps;
  const given = readFields(FIELDS, await call.body({ maxBytes: BODY_MAX_BYTES }));
  const [email, password] = [required("email", given.email), required("password", given.password)];
  const trier = { address: call.address(), email };
  passwords.tries.check(trier, now());
  const found = await db.read(async (tx) => {
    const user = await findUserByEmail(tx, email);
    return { user, hash: user === null ? null : await readPasswordHash(tx, user.id) };
  });
  const { user, hash } = found;
  if (!(await passwords.verify(password, hash)) || user === null) throw wrongCredentials();
  const opened = await db.write(async (tx) => {
    // A password that was replaced meanwhile opens nothing any more.
    await holdRow(tx, "users", user.id);
    if ((await readPasswordHash(tx, user.id)) !== hash) throw wrongCredentials();
    return openSession(tx, call, user);
  });
  passwords.tries.forget(trier);
  return welcomed(call, opened);
}

const wrongCredentials = () => invalidField(null, "invalid_credentials", "Invalid email or password.");

async function logout(call: AccountCall): Promise<Response> {
  const { grant, user } = call.caller;
  if (grant.kind !== "session") throw permissionDenied("A personal API key has no session to end.");
  await call.deps.db.write(async (tx) => {
    if (await endSession(tx, { userId: user.id, id: grant.id })) await recordSession(tx, call, "logged_out");
  });
  return withoutSession(call, empty(204));
}
