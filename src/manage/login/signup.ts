import {
  createUser,
  findInviteByToken,
  findOrganization,
  findUserByEmail,
  holdRow,
  recordActivity,
  removeInvitesOf,
  replacePassword,
  setCurrentEnvironment,
  updateUser,
} from "../../metadata/mod.ts";
import { ERROR, object, text, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField } from "../http/errors.ts";
import { readFields, required } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { newPassword } from "../passwords/fields.ts";
import { requireOwnOrigin } from "../serve/csrf.ts";
import { requireKnownHost } from "../serve/host.ts";
import type { OpenCall, Route } from "../serve/route.ts";
import { openSession } from "../serve/session.ts";
import { PERSON_FIELDS, USER_FIELDS } from "../users/fields.ts";
import { ME } from "../users/shape.ts";
import { firstOpenEnvironment } from "./firstEnvironment.ts";
import { BODY_MAX_BYTES, linkNotFound, welcomed } from "./welcomed.ts";

const FIELDS = {
  first_name: PERSON_FIELDS.first_name,
  password: newPassword(),
  role_at_organization: USER_FIELDS.role_at_organization,
};

const INVITED = object("Invitation", {
  id: UUID,
  target_email: text(),
  first_name: text(),
  organization_name: text(),
});

/** What the link of an invitation opens: a page on which its holder becomes a member. */
export const signupRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/signup/:token/",
    summary: "Who is invited by a link; 404 `link_not_found` where it was used, taken back, or is too old",
    confinement: "open",
    responses: { 200: INVITED, 404: ERROR },
    handle: retrieve,
  },
  {
    method: "POST",
    path: "/api/signup/:token/",
    summary: "Become a member by the link of an invitation, and log in",
    confinement: "open",
    body: FIELDS,
    requires: ["first_name", "password"],
    responses: { 200: ME.schema, 403: ERROR, 404: ERROR, 429: ERROR },
    handle: signUp,
  },
];

const gone = () => linkNotFound("This invitation was used, taken back, or is too old. Ask for another one.");

async function retrieve(call: OpenCall): Promise<Response> {
  requireKnownHost(call);
  const { token = "" } = call.params;
  return json(
    await call.deps.db.read(async (tx) => {
      const invite = await findInviteByToken(tx, token, call.deps.now());
      const organization = invite === null ? null : await findOrganization(tx, invite.organizationId);
      if (invite === null || organization === null) throw gone();
      const { id, email: target_email, firstName: first_name } = invite;
      return { id, target_email, first_name, organization_name: organization.name };
    }),
  );
}

async function signUp(call: OpenCall): Promise<Response> {
  requireKnownHost(call);
  requireOwnOrigin(call);
  const { db, passwords, now } = call.deps;
  const { token = "" } = call.params;
  // Before anything is hashed.
  if ((await db.read((tx) => findInviteByToken(tx, token, now()))) === null) throw gone();
  const given = readFields(FIELDS, await call.body({ maxBytes: BODY_MAX_BYTES }));
  const firstName = required("first_name", given.first_name);
  const hash = await passwords.hash(required("password", given.password));
  const role = given.role_at_organization ?? "";
  const opened = await db.write(async (tx) =>
    openSession(tx, call, await join(tx, { token, firstName, role, hash, nowMs: now() })),
  );
  return welcomed(call, opened);
}

interface Joining {
  token: string;
  firstName: string;
  role: string;
  /** Of the password. */
  hash: string;
  nowMs: number;
}

/** Makes the member that an invitation names, and uses the invitation up. Throws ApiError 400 and 404. */
async function join(tx: Tx, { token, firstName, role, hash, nowMs }: Joining) {
  const seen = await findInviteByToken(tx, token, nowMs);
  if (seen === null) throw gone();
  await holdRow(tx, "organizations", seen.organizationId);
  // Another request may have been first.
  const invite = await findInviteByToken(tx, token, nowMs);
  if (invite === null) throw gone();
  const { organizationId, email, level } = invite;
  if ((await findUserByEmail(tx, email)) !== null) {
    throw invalidField(null, "unique", "There is already an account with this email address. Log in instead.");
  }
  const made = await createUser(tx, { organizationId, level, firstName, email, nowMs });
  const user = { ...made, roleAtOrganization: role };
  await updateUser(tx, user);
  await replacePassword(tx, { userId: user.id, hash, exceptSessionId: null, nowMs });
  const environmentId = await firstOpenEnvironment(tx, user);
  if (environmentId !== null) await setCurrentEnvironment(tx, user.id, environmentId);
  await removeInvitesOf(tx, email);
  const place = { teamId: null, organizationId, scope: "OrganizationMembership", itemId: user.uuid } as const;
  await recordActivity(tx, { ...place, userId: user.id, activity: "created", detail: { name: email }, atMs: nowMs });
  return { ...user, currentEnvironmentId: environmentId };
}
