import {
  countUsers,
  createInvite,
  findInvite,
  findUserByEmail,
  findUsers,
  type Invite,
  listInvites,
  removeInvite,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { type FieldValues, required, text } from "../http/fields.ts";
import { Resource } from "../resource/resource.ts";
import { routesOf } from "../resource/routes.ts";
import type { AccountCall, HandledBy } from "../serve/route.ts";
import { hasLevel } from "../serve/userLevel.ts";
import { PERSON_FIELDS } from "../users/fields.ts";
import { levelNumber } from "./levelField.ts";
import { holdAsAdmin, organizationOf } from "./organization.ts";
import { INVITE, type ShownInvite } from "./shape.ts";

/** Invitations that are kept at once, and members. */
const INVITES_MAX = 1000;
const MEMBERS_MAX = 10_000;

const FIELDS = {
  target_email: PERSON_FIELDS.email,
  first_name: text({ maxLength: 150, blank: true }),
  level: levelNumber(),
};

/** Invitations: links that make their holders members. There is no mail; the one who invites hands the link on. */
const INVITES = new Resource<ShownInvite, FieldValues<typeof FIELDS>, AccountCall>({
  noun: "invitation",
  path: "organizations/:id/invites",
  scope: "organization_member",
  log: "OrganizationInvite",
  logItem: ({ id }) => ({ teamId: null, itemId: id }),
  summaries: {
    list: "List the invitations that nobody has accepted, newest first",
    create: "Invite somebody: `url` in this answer, and only there, works once within three days. No mail is sent",
    remove: "Take an invitation back: its link ends",
  },
  fields: FIELDS,
  requires: ["target_email"],
  schema: INVITE.schema,
  find: inviteOf,
  async hold(tx, call) {
    await holdAsAdmin(tx, call);
    return inviteOf(tx, call);
  },
  list: (tx, call, page) => listInvites(tx, organizationOf(call), page),
  async make(tx, asking, values) {
    const call = await holdAsAdmin(tx, asking);
    const { grant, user } = call.caller;
    const { level = "member", first_name: firstName = "" } = values;
    const email = required("target_email", values.target_email);
    if (!hasLevel(grant, level)) {
      throw permissionDenied("You cannot invite with a level above your own.");
    }
    if ((await findUserByEmail(tx, email)) !== null) {
      const detail = "A user with this email address already belongs to the organization.";
      throw invalidField("target_email", "unique", detail);
    }
    const organizationId = organizationOf(call);
    const { count } = await listInvites(tx, organizationId, { limit: 1, offset: 0 });
    if (count >= INVITES_MAX) throw tooMany(`There can be at most ${INVITES_MAX} open invitations.`);
    if ((await countUsers(tx, organizationId)) >= MEMBERS_MAX) throw tooMany(`At most ${MEMBERS_MAX} can be members.`);
    const wish = { organizationId, email, firstName, level, createdBy: user.id, nowMs: call.deps.now() };
    const { invite, token } = await createInvite(tx, wish);
    return { ...invite, url: new URL(`/invite/${token}`, call.url).href };
  },
  remove: (tx, _call, { id }) => removeInvite(tx, id),
  nameOf: ({ email }) => email,
  logged: () => ({}),
  async show(tx, { deps }, invites) {
    const users = await findUsers(
      tx,
      invites.map(({ createdBy }) => createdBy),
    );
    return invites.map((invite) => INVITE.show(invite, { users, nowMs: deps.now() }));
  },
});

function inviteOf(tx: Tx, call: AccountCall): Promise<Invite | null> {
  const organizationId = organizationOf(call);
  const id = parseUuid(call.params.invite_id ?? "");
  return id === null ? Promise.resolve(null) : findInvite(tx, organizationId, id);
}

const tooMany = (detail: string) => invalidField(null, "max_length", detail);

const { list, create, remove } = routesOf(INVITES);

export const INVITE_ROUTES: HandledBy<AccountCall>[] = [
  { ...list, level: "admin" },
  { ...create, level: "admin" },
  { ...remove, path: "organizations/:id/invites/:invite_id/", level: "admin" },
];
