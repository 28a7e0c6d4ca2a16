import { randomUUID } from "node:crypto";
import { type Fragment, type Listed, numberOrNull, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";
import { isAboutVisible, type SeenKinds } from "./aboutVisible.ts";
import { findOrganizationId } from "./organizations.ts";
import { isSecretName, withoutSecrets } from "./redact.ts";

/** The kind of record of an entry, by its name in the API. */
export type ActivityScope =
  | "Action"
  | "AlertConfiguration"
  | "Annotation"
  | "BatchExport"
  | "Cohort"
  | "Dashboard"
  | "EventDefinition"
  | "Import"
  | "Insight"
  | "Organization"
  | "OrganizationInvite"
  | "OrganizationMembership"
  | "PersonalAPIKey"
  | "Project"
  | "PropertyDefinition"
  | "Role"
  | "Subscription"
  | "Team"
  | "User";

/** A field that has changed. */
export interface Change {
  type: ActivityScope;
  action: "changed" | "created" | "deleted";
  field: string;
  before: Json;
  after: Json;
}

interface ActivityDetail {
  name?: string | null;
  short_id?: string | null;
  changes?: Change[] | null;
}

export interface NewActivity {
  /** The environment it belongs to; null for what belongs to the organisation alone. */
  teamId: number | null;
  /** The one organisation when absent. */
  organizationId?: string;
  /** The user that did it; null for the service itself. */
  userId: number | null;
  scope: ActivityScope;
  itemId: string;
  /** "created", "updated", "deleted", "sharing enabled", … */
  activity: string;
  detail: ActivityDetail;
  atMs: number;
}

/** An entry as it was recorded. */
export interface Activity extends Required<Omit<NewActivity, "detail">> {
  uuid: string;
  detail: { name: string | null; short_id: string | null; changes: Change[] | null };
}

/**
 * Records a change and its author, in the transaction of the change. Secrets are masked here, for all callers. An update
 * without changes is not recorded.
 */
export async function recordActivity(tx: Tx, o: NewActivity): Promise<void> {
  const changes = o.detail.changes ?? [];
  if (o.activity === "updated" && changes.length === 0) return;
  const detail = {
    name: o.detail.name ?? null,
    short_id: o.detail.short_id ?? null,
    changes: changes.length === 0 ? null : changes.map(redactChange),
  };
  const row = {
    uuid: randomUUID(),
    organization_id: o.organizationId ?? (await findOrganizationId(tx)),
    team_id: o.teamId,
    user_id: o.userId,
    scope: o.scope,
    item_id: o.itemId,
    activity: o.activity,
    detail: JSON.stringify(withoutSecrets(detail)),
    at_ms: o.atMs,
  };
  await tx`insert into activity_log ${tx(row)}`;
}

/** A change of a secret field, without its values. */
function redactChange(change: Change) {
  return isSecretName(change.field) ? { ...change, before: null, after: null } : { ...change };
}

/**
 * The given fields that differ between two states of a record; an absent field counts as null. A record that does not exist
 * before or after the change is null.
 */
export function changesBetween(
  type: ActivityScope,
  before: JsonObject | null,
  after: JsonObject | null,
  fields: readonly string[],
): Change[] {
  return fields.flatMap((field): Change[] => {
    const [old, now] = [before?.[field] ?? null, after?.[field] ?? null];
    if (Bun.deepEquals(old, now, true)) return [];
    const action = old === null ? "created" : now === null ? "deleted" : "changed";
    return [{ type, action, field, before: old, after: now }];
  });
}

/** Every condition is optional; all given ones must hold. Lists are not empty; one of their entries must hold. */
export interface ActivityFilter {
  organizationId?: string;
  teamId?: number;
  scope?: string;
  itemId?: string;
  userId?: number;
  userUuid?: string;
  scopes?: readonly string[];
  itemIds?: readonly string[];
  activities?: readonly string[];
  /** Uuids. */
  users?: readonly string[];
  /** By the service itself, or by users. */
  isSystem?: boolean;
  /** Not before, and not after, epoch milliseconds. */
  fromMs?: number;
  toMs?: number;
  /** Of which kinds some records may not be seen, in the environment of `teamId`; entries of those are left out. */
  visible?: SeenKinds;
}

interface ActivityRow {
  uuid: string;
  organization_id: string;
  team_id: Stored | null;
  user_id: Stored | null;
  scope: ActivityScope;
  item_id: string;
  activity: string;
  detail: string;
  at_ms: Stored;
}

/** One page, newest first. */
export function listActivity(tx: Tx, filter: ActivityFilter, page: Page): Promise<Listed<Activity>> {
  return selectPage(
    tx,
    { table: "activity_log", where: condition(tx, filter), order: tx`id desc`, read: fromRow },
    page,
  );
}

/** What there is to choose from among entries. */
export interface ActivityChoices {
  /** Ids. */
  users: number[];
  scopes: string[];
  activities: string[];
}

/** By whom the entries are, of which kinds of records they tell, and what was done. */
export async function activityChoices(tx: Tx, filter: ActivityFilter): Promise<ActivityChoices> {
  const where = condition(tx, filter);
  const rows: { user_id: Stored | null; scope: string; activity: string }[] =
    await tx`select distinct user_id, scope, activity from activity_log where ${where}`;
  const different = <T>(values: readonly T[]) => [...new Set(values)].sort();
  return {
    users: different(rows.flatMap((row) => numberOrNull(row.user_id) ?? [])),
    scopes: different(rows.map(({ scope }) => scope)),
    activities: different(rows.map(({ activity }) => activity)),
  };
}

function condition(tx: Tx, filter: ActivityFilter): Fragment {
  const among = (column: string, values: readonly string[] | undefined) =>
    values === undefined ? tx`` : tx`and ${tx(column)} in ${tx([...values])}`;
  const { users, isSystem, fromMs, toMs } = filter;
  return tx`${isAboutVisible(tx, filter.teamId, filter.visible)}
    ${filter.organizationId === undefined ? tx`` : tx`and organization_id = ${filter.organizationId}`}
    ${filter.teamId === undefined ? tx`` : tx`and team_id = ${filter.teamId}`}
    ${filter.scope === undefined ? tx`` : tx`and scope = ${filter.scope}`}
    ${filter.itemId === undefined ? tx`` : tx`and item_id = ${filter.itemId}`}
    ${filter.userId === undefined ? tx`` : tx`and user_id = ${filter.userId}`}
    ${filter.userUuid === undefined ? tx`` : tx`and user_id = (select id from users where uuid = ${filter.userUuid})`}
    ${among("scope", filter.scopes)} ${among("item_id", filter.itemIds)} ${among("activity", filter.activities)}
    ${users === undefined ? tx`` : tx`and user_id in (select id from users where uuid in ${tx([...users])})`}
    ${isSystem === undefined ? tx`` : isSystem ? tx`and user_id is null` : tx`and user_id is not null`}
    ${fromMs === undefined ? tx`` : tx`and at_ms >= ${fromMs}`}
    ${toMs === undefined ? tx`` : tx`and at_ms <= ${toMs}`}`;
}

function fromRow(row: ActivityRow): Activity {
  return {
    uuid: row.uuid,
    organizationId: row.organization_id,
    teamId: numberOrNull(row.team_id),
    userId: numberOrNull(row.user_id),
    scope: row.scope,
    itemId: row.item_id,
    activity: row.activity,
    detail: JSON.parse(row.detail),
    atMs: Number(row.at_ms),
  };
}
