import { Type } from "@sinclair/typebox";
import {
  findLoginLink,
  holdRow,
  readPasswordHash,
  recordActivity,
  replacePassword,
  updateUser,
  useLoginLink,
} from "../../metadata/mod.ts";
import { ERROR, object, text } from "../../openapi/mod.ts";
import { readFields, required } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { newPassword } from "../passwords/fields.ts";
import { requireOwnOrigin } from "../serve/csrf.ts";
import { requireKnownHost } from "../serve/host.ts";
import type { OpenCall, Route } from "../serve/route.ts";
import { openSession } from "../serve/session.ts";
import { requireOwnEmail } from "../users/email.ts";
import { PERSON_FIELDS } from "../users/fields.ts";
import { PASSWORD_CHANGED } from "../users/password.ts";
import { ME } from "../users/shape.ts";
import { BODY_MAX_BYTES, linkNotFound, welcomed } from "./welcomed.ts";

const FIELDS = { password: newPassword(), ...PERSON_FIELDS };
const INVITED = object("LoginLink", { email: text(), first_name: text(), has_password: Type.Boolean() });

/** What a one-time link opens: a page on which its user sets a password. `weir start` and `weir login-link` print one. */
export const setupRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/setup/:token/",
    summary: "Whose password a one-time link sets; 404 `link_not_found` where it is used or older than 30 minutes",
    confinement: "open",
    responses: { 200: INVITED, 404: ERROR },
    handle: retrieve,
  },
  {
    method: "POST",
    path: "/api/setup/:token/",
    summary: "Set a password by a one-time link, and log in; all other sessions of the user end",
    confinement: "open",
    body: FIELDS,
    requires: ["password"],
    responses: { 200: ME.schema, 403: ERROR, 404: ERROR, 429: ERROR },
    handle: setUp,
  },
];

const gone = () => linkNotFound("This link was used, or is too old. `weir login-link` makes another.");

async function retrieve(call: OpenCall): Promise<Response> {
  requireKnownHost(call);
  const { token = "" } = call.params;
  return json(
    await call.deps.db.read(async (tx) => {
      const user = await findLoginLink(tx, token, call.deps.now());
      if (user === null) throw gone();
      const { id, email, firstName: first_name } = user;
      return { email, first_name, has_password: (await readPasswordHash(tx, id)) !== null };
    }),
  );
}

async function setUp(call: OpenCall): Promise<Response> {
  requireKnownHost(call);
  requireOwnOrigin(call);
  const { db, passwords, now } = call.deps;
  const { token = "" } = call.params;
  // Before anything is hashed.
  if ((await db.read((tx) => findLoginLink(tx, token, now()))) === null) throw gone();
  const given = readFields(FIELDS, await call.body({ maxBytes: BODY_MAX_BYTES }));
  const hash = await passwords.hash(required("password", given.password));
  const opened = await db.write(async (tx) => {
    const nowMs = now();
    const seen = await findLoginLink(tx, token, nowMs);
    if (seen !== null) await holdRow(tx, "users", seen.id);
    // Another request may have been first.
    const before = await findLoginLink(tx, token, nowMs);
    if (before === null || !(await useLoginLink(tx, token, nowMs))) throw gone();
    const { first_name: firstName = before.firstName, email = before.email } = given;
    const user = { ...before, firstName, email };
    if (email !== before.email) await requireOwnEmail(tx, user, email);
    await updateUser(tx, user);
    await replacePassword(tx, { userId: user.id, hash, exceptSessionId: null, nowMs });
    const { organizationId, uuid: itemId } = user;
    const detail = { name: firstName, changes: [PASSWORD_CHANGED] };
    const place = { teamId: null, organizationId, scope: "User", itemId } as const;
    await recordActivity(tx, { ...place, userId: user.id, activity: "updated", detail, atMs: nowMs });
    return openSession(tx, call, user);
  });
  return welcomed(call, opened);
}
