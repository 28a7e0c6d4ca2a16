import {
  createPersonalApiKey,
  findPersonalApiKeyById,
  holdRow,
  LEVELS,
  type Level,
  listPersonalApiKeys,
  type PersonalApiKey,
  revokePersonalApiKey,
  rollPersonalApiKey,
  updatePersonalApiKey,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField, notFound, permissionDenied } from "../http/errors.ts";
import { choice, integer, list as listOf, nullable, readFields, required, text } from "../http/fields.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { empty, isoTime, json } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
import { hasLevel } from "../serve/guard.ts";
import type { AccountCall, Route } from "../serve/route.ts";
import { keySettings, recordKey } from "./activity.ts";
import { keySchema } from "./schema.ts";
import { checkOrganizations, checkScopes, checkTeams } from "./scopes.ts";

const FIELDS = {
  label: text({ maxLength: 40 }),
  scopes: listOf(text()),
  scoped_teams: nullable(listOf(integer({ min: 1 }))),
  scoped_organizations: nullable(listOf(text())),
  level: choice(LEVELS),
};

const KEY = keySchema(FIELDS);

export const keyRoutes: Route[] = [
  {
    method: "GET",
    path: "/api/personal_api_keys/",
    summary: "List your personal API keys, masked",
    confinement: "account",
    scope: "*",
    query: PAGE_QUERY,
    responses: { 200: pageOf(KEY) },
    handle: list,
  },
  {
    method: "POST",
    path: "/api/personal_api_keys/",
    summary: "Create a personal API key; its value is shown in this answer only",
    confinement: "account",
    scope: "*",
    requires: ["label", "scopes"],
    responses: { 201: KEY },
    body: FIELDS,
    handle: create,
  },
  {
    method: "GET",
    path: "/api/personal_api_keys/:id/",
    summary: "Retrieve a personal API key, masked; `@current` is the one that asks, which needs no scope for it",
    confinement: "user",
    scope: [],
    responses: { 200: KEY },
    handle: retrieve,
  },
  {
    method: "PATCH",
    path: "/api/personal_api_keys/:id/",
    summary: "Change a personal API key",
    confinement: "account",
    scope: "*",
    responses: { 200: KEY },
    body: FIELDS,
    handle: patch,
  },
  {
    method: "POST",
    path: "/api/personal_api_keys/:id/roll/",
    summary: "Give a personal API key a new value, shown in this answer only; the old one ends at once",
    confinement: "account",
    scope: "*",
    responses: { 200: KEY },
    handle: roll,
  },
  {
    method: "DELETE",
    path: "/api/personal_api_keys/:id/",
    summary: "Revoke a personal API key",
    confinement: "account",
    scope: "*",
    responses: { 204: null },
    handle: revoke,
  },
];

/** `value` in the clear is there once, right after it was made. */
function keyBody(key: PersonalApiKey, value: string | null) {
  return {
    id: key.id,
    value,
    mask_value: key.maskValue,
    created_at: isoTime(key.createdAtMs),
    last_used_at: isoTime(key.lastUsedAtMs),
    last_rolled_at: isoTime(key.lastRolledAtMs),
    user_id: key.userId,
    ...keySettings(key),
  };
}

/** Who did it and when, for the activity log. */
const by = (call: AccountCall) => ({ userId: call.caller.user.id, atMs: call.nowMs });

async function list(call: AccountCall): Promise<Response> {
  const page = readPage(call.query);
  const o = { ...page, userId: call.caller.user.id };
  const { count, items } = await call.deps.db.read((tx) => listPersonalApiKeys(tx, o));
  const shown = items.map((key) => keyBody(key, null));
  return json(pageBody(call.url, page, count, shown));
}

async function create(call: AccountCall): Promise<Response> {
  const values = readFields(FIELDS, await call.body());
  const label = required("label", values.label);
  const scopes = required("scopes", values.scopes);
  const scopedTeams = values.scoped_teams ?? [];
  const scopedOrganizations = values.scoped_organizations ?? [];
  const userId = call.caller.user.id;
  // Without a wish the new key can do no more than the one that makes it.
  const level = values.level ?? call.caller.key.level;
  checkScopes(scopes);
  checkOrganizations(call.caller.user.organizationId, scopedOrganizations);
  requireReach(call, level);
  const created = await call.deps.db.write(async (tx) => {
    await checkTeams(tx, scopedTeams);
    const { count } = await listPersonalApiKeys(tx, { userId, limit: 1, offset: 0 });
    const max = call.deps.config.personalKeysMax;
    if (count >= max) {
      throw invalidField(null, "invalid_input", `You can only have ${max} personal API keys. Remove one first.`);
    }
    const wish = { userId, label, scopes, scopedTeams, scopedOrganizations, level };
    const made = await createPersonalApiKey(tx, { ...wish, nowMs: call.deps.now() });
    await recordKey(tx, { ...by(call), activity: "created", key: made.key });
    return made;
  });
  return json(keyBody(created.key, created.value), 201);
}

async function retrieve(call: AccountCall): Promise<Response> {
  const { key: own } = call.caller;
  if (call.params.id === "@current" || call.params.id === own.id) return json(keyBody(own, null));
  if (!own.scopes.includes("*") || own.scopedTeams.length > 0) {
    throw permissionDenied("This action does not support personal API key access");
  }
  return json(keyBody(await call.deps.db.read((tx) => find(tx, call)), null));
}

async function patch(call: AccountCall): Promise<Response> {
  const values = readFields(FIELDS, await call.body());
  if (values.scopes !== undefined) checkScopes(values.scopes);
  if (values.level !== undefined) requireReach(call, values.level);
  checkOrganizations(call.caller.user.organizationId, values.scoped_organizations ?? []);
  const changed = await call.deps.db.write(async (tx) => {
    const before = await findInReach(tx, call);
    const key = {
      ...before,
      label: values.label ?? before.label,
      scopes: values.scopes ?? before.scopes,
      scopedTeams: values.scoped_teams === undefined ? before.scopedTeams : (values.scoped_teams ?? []),
      scopedOrganizations:
        values.scoped_organizations === undefined ? before.scopedOrganizations : (values.scoped_organizations ?? []),
      level: values.level ?? before.level,
    };
    if (values.scoped_teams !== undefined) await checkTeams(tx, key.scopedTeams);
    await updatePersonalApiKey(tx, key);
    await recordKey(tx, { ...by(call), activity: "updated", key, before });
    return key;
  });
  return json(keyBody(changed, null));
}

async function roll(call: AccountCall): Promise<Response> {
  const rolled = await call.deps.db.write(async (tx) => {
    const made = await rollPersonalApiKey(tx, (await findInReach(tx, call)).id, call.deps.now());
    if (made === null) throw notFound();
    await recordKey(tx, { ...by(call), activity: "rolled", key: made.key });
    return made;
  });
  return json(keyBody(rolled.key, rolled.value));
}

async function revoke(call: AccountCall): Promise<Response> {
  await call.deps.db.write(async (tx) => {
    const key = await findInReach(tx, call);
    await revokePersonalApiKey(tx, key.id, call.deps.now());
    await recordKey(tx, { ...by(call), activity: "deleted", key });
  });
  return empty(204);
}

/** A key of the caller's user. */
async function find(tx: Tx, call: AccountCall): Promise<PersonalApiKey> {
  const id = call.params.id === "@current" ? call.caller.key.id : (call.params.id ?? "");
  const key = await findPersonalApiKeyById(tx, id);
  if (key === null || key.userId !== call.caller.user.id) throw notFound();
  return key;
}

/** For changing it. */
async function findInReach(tx: Tx, call: AccountCall): Promise<PersonalApiKey> {
  const { id } = await find(tx, call);
  await holdRow(tx, "personal_api_keys", id);
  const key = await find(tx, call);
  requireReach(call, key.level);
  return key;
}

/** A key cannot make, change, roll or revoke one that may do more than itself. */
function requireReach(call: AccountCall, level: Level): void {
  if (!hasLevel(call.caller.key, level)) throw permissionDenied("This key is below the level of the other one.");
}
