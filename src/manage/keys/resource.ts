import {
  createPersonalApiKey,
  findPersonalApiKeyById,
  holdRow,
  LEVELS,
  type Level,
  listPersonalApiKeys,
  type PersonalApiKey,
  recordActivity,
  revokePersonalApiKey,
  updatePersonalApiKey,
} from "../../metadata/mod.ts";
import { integer as integerSchema, nullable as nullableSchema, TIME, text as textSchema } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { list } from "../http/compound.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { choice, type FieldValues, integer, mapped, nullable, required, shownFields, text } from "../http/fields.ts";
import { Resource } from "../resource/resource.ts";
import { apiValues, recordValues, shape } from "../resource/shape.ts";
import type { AccountCall } from "../serve/route.ts";
import { hasLevel } from "../serve/userLevel.ts";
import { checkOrganizations, checkScopes, checkTeams } from "./scopes.ts";

const FIELDS = {
  label: text({ maxLength: 40 }),
  scopes: list(text()),
  scoped_teams: mapped(nullable(list(integer({ min: 1 }))), (ids) => ids ?? []),
  scoped_organizations: mapped(nullable(list(text())), (ids) => ids ?? []),
  level: choice(LEVELS),
};

/** A key; `value` in the clear is there once, right after it was made. */
type ShownKey = PersonalApiKey & { value?: string };

export const KEY = shape<ShownKey>("PersonalApiKey", {
  id: textSchema(),
  value: [
    nullableSchema(textSchema("The key itself, right after it was made; null ever after.")),
    ({ value }) => value ?? null,
  ],
  mask_value: textSchema("Its beginning and end."),
  created_at: TIME,
  last_used_at: nullableSchema(TIME),
  last_rolled_at: nullableSchema(TIME),
  user_id: integerSchema(),
  ...shownFields(FIELDS),
});

/** Keys of the caller's user. */
export const KEYS: Resource<ShownKey, FieldValues<typeof FIELDS>, AccountCall> = new Resource({
  noun: "key",
  path: "personal_api_keys",
  scope: "*",
  log: "PersonalAPIKey",
  summaries: {
    list: "List your personal API keys, masked",
    create: "Create a personal API key; its value is shown in this answer only",
    retrieve: "Retrieve a personal API key, masked; `@current` is the one that asks, which needs no scope for it",
    change: "Change a personal API key",
    remove: "Revoke a personal API key",
  },
  fields: FIELDS,
  requires: ["label", "scopes"],
  schema: KEY.schema,
  /** That of another user is none. */
  async find(tx, { params, caller }) {
    const key = await findPersonalApiKeyById(tx, params.id === "@current" ? caller.grant.id : (params.id ?? ""));
    return key?.userId === caller.user.id ? key : null;
  },
  async hold(tx, call) {
    await holdRow(tx, "personal_api_keys", (await KEYS.findIn(tx, call)).id);
    const key = await KEYS.findIn(tx, call);
    requireReach(call, key.level);
    return key;
  },
  list: (tx, { caller }, page) => listPersonalApiKeys(tx, { ...page, userId: caller.user.id }),
  check(call, { scopes = [], scoped_organizations: organizations = [], level }) {
    checkScopes(scopes);
    checkOrganizations(call.caller.user.organizationId, organizations);
    if (level !== undefined) requireReach(call, level);
  },
  async make(tx, call, values) {
    const { user, grant: own } = call.caller;
    const { scoped_teams: scopedTeams = [], scoped_organizations: scopedOrganizations = [] } = values;
    await checkTeams(tx, scopedTeams);
    // Two that make the last one at once must not both find room.
    await holdRow(tx, "users", user.id);
    const { count } = await listPersonalApiKeys(tx, { userId: user.id, limit: 1, offset: 0 });
    const max = call.deps.config.personalKeysMax;
    if (count >= max) {
      throw invalidField(null, "invalid_input", `You can only have ${max} personal API keys. Remove one first.`);
    }
    const { key, value } = await createPersonalApiKey(tx, {
      userId: user.id,
      label: required("label", values.label),
      scopes: required("scopes", values.scopes),
      scopedTeams,
      scopedOrganizations,
      // Without a wish the new key can do no more than the one that makes it.
      level: values.level ?? own.level,
      nowMs: call.deps.now(),
    });
    return { ...key, value };
  },
  async change(tx, _call, before, values) {
    const after = { ...before, ...recordValues(values) };
    if (values.scoped_teams !== undefined) await checkTeams(tx, after.scopedTeams);
    await updatePersonalApiKey(tx, after);
    return { after };
  },
  remove: (tx, { deps }, { id }) => revokePersonalApiKey(tx, id, deps.now()),
  nameOf: ({ label }) => label,
  logged: (_tx, key) => apiValues(key, Object.keys(FIELDS)),
  show: async (_tx, _call, keys) => keys.map((key) => KEY.show(key, null)),
});

/** A key or a session cannot make, change, roll or revoke one that may do more than itself. */
function requireReach({ caller }: AccountCall, level: Level): void {
  if (!hasLevel(caller.grant, level)) throw permissionDenied("This key is below the level of the other one.");
}

/** Notes what the operator did with a key. */
export function recordKey(
  tx: Tx,
  { key, activity, atMs }: { key: PersonalApiKey; activity: "created" | "deleted"; atMs: number },
): Promise<void> {
  const item = { teamId: null, scope: KEYS.description.log, itemId: key.id };
  return recordActivity(tx, { ...item, userId: null, activity, detail: { name: key.label }, atMs });
}
