import { changesBetween, type PersonalApiKey, recordActivity } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";

/** What a client sees of a key and may change. */
export function keySettings({ label, scopes, scopedTeams, scopedOrganizations, level }: PersonalApiKey) {
  return { label, scopes, scoped_teams: scopedTeams, scoped_organizations: scopedOrganizations, level };
}

const FIELDS = ["label", "scopes", "scoped_teams", "scoped_organizations", "level"];

/** Notes what was done with a key; `before` is what it was, where it was changed. `userId`: null for the operator. */
export function recordKey(
  tx: Tx,
  o: {
    userId: number | null;
    atMs: number;
    activity: "created" | "updated" | "rolled" | "deleted";
    key: PersonalApiKey;
    before?: PersonalApiKey;
  },
): Promise<void> {
  const { userId, atMs, activity, key, before } = o;
  const changes =
    before === undefined ? null : changesBetween("PersonalAPIKey", keySettings(before), keySettings(key), FIELDS);
  const detail = { name: key.label, changes };
  return recordActivity(tx, { teamId: null, userId, scope: "PersonalAPIKey", itemId: key.id, activity, detail, atMs });
}
