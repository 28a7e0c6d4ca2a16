import {
  createPersonalApiKey,
  existingEnvironmentIds,
  findPersonalApiKeyById,
  LEVELS,
  listPersonalApiKeys,
  type PersonalApiKey,
  revokePersonalApiKey,
} from "../../metadata/mod.ts";
import { invalidField, notFound, permissionDenied } from "../http/errors.ts";
import { choice, integer, list as listOf, nullable, readFields, required, text } from "../http/fields.ts";
import { hasLevel } from "../http/guard.ts";
import { pageBody, readPage } from "../http/page.ts";
import { empty, isoTime, json } from "../http/reply.ts";
import type { AccountCall, Route } from "../http/route.ts";
import { checkScopes } from "./scopes.ts";

const CREATE_FIELDS = {
  label: text({ maxLength: 40 }),
  scopes: listOf(text()),
  scoped_teams: nullable(listOf(integer({ min: 1 }))),
  level: choice(LEVELS),
};

export const keyRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/personal_api_keys/",
    summary: "List the personal API keys, masked",
    confinement: "account",
    scope: "*",
    handle: list,
  },
  {
    method: "POST",
    path: "/api/personal_api_keys/",
    summary: "Create a personal API key; its value is shown in this answer only",
    confinement: "account",
    scope: "*",
    body: CREATE_FIELDS,
    handle: create,
  },
  {
    method: "DELETE",
    path: "/api/personal_api_keys/:id/",
    summary: "Revoke a personal API key",
    confinement: "account",
    scope: "*",
    handle: revoke,
  },
];

/** `value` in the clear is there once, right after it was made. */
function keyBody(key: PersonalApiKey, value: string | null) {
  return {
    id: key.id,
    label: key.label,
    value,
    mask_value: key.maskValue,
    created_at: isoTime(key.createdAtMs),
    last_used_at: isoTime(key.lastUsedAtMs),
    last_rolled_at: isoTime(key.lastRolledAtMs),
    user_id: key.userId,
    scopes: key.scopes,
    scoped_teams: key.scopedTeams,
    scoped_organizations: [],
    level: key.level,
  };
}

async function list(call: AccountCall): Promise<Response> {
  const page = readPage(call.query);
  const keys = await call.deps.db.read((tx) => listPersonalApiKeys(tx));
  const shown = keys.slice(page.offset, page.offset + page.limit).map((key) => keyBody(key, null));
  return json(pageBody(call.url, page, keys.length, shown));
}

async function create(call: AccountCall): Promise<Response> {
  const values = readFields(CREATE_FIELDS, await call.body());
  const label = required("label", values.label);
  const scopes = required("scopes", values.scopes);
  const scopedTeams = values.scoped_teams ?? [];
  const { caller } = call;
  // Without a wish the new key can do no more than the one that makes it.
  const level = values.level ?? caller.key.level;
  checkScopes(scopes);
  if (!hasLevel(caller.key, level)) throw permissionDenied("You cannot create a key above your own level.");
  const created = await call.deps.db.write(async (tx) => {
    const existing = await existingEnvironmentIds(tx, scopedTeams);
    const unknown = scopedTeams.find((id) => !existing.has(id));
    if (unknown !== undefined) {
      throw invalidField("scoped_teams", "does_not_exist", `Invalid pk "${unknown}" - object does not exist.`);
    }
    const nowMs = call.deps.now();
    return createPersonalApiKey(tx, { userId: caller.user.id, label, scopes, scopedTeams, level, nowMs });
  });
  return json(keyBody(created.key, created.value), 201);
}

async function revoke(call: AccountCall): Promise<Response> {
  await call.deps.db.write(async (tx) => {
    const key = await findPersonalApiKeyById(tx, call.params.id ?? "");
    if (key === null) throw notFound();
    if (!hasLevel(call.caller.key, key.level)) throw permissionDenied("You cannot revoke a key above your own level.");
    await revokePersonalApiKey(tx, key.id, call.deps.now());
  });
  return empty(204);
}
