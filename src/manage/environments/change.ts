import {
  type Change,
  changesBetween,
  dashboardNames,
  type Environment,
  findEnvironment,
  holdRow,
  recordActivity,
  updateEnvironment,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { readFields } from "../http/fields.ts";
import { type Who, whoOf } from "../serve/activity.ts";
import type { AccountCall } from "../serve/route.ts";
import { ENVIRONMENT_FIELDS, SETTING_FIELDS, SETTINGS } from "../settings/fields.ts";
import { writableOf } from "./body.ts";

/** Notes what was done with an environment. */
export function recordEnvironment(
  tx: Tx,
  who: Who,
  environment: Environment,
  activity: string,
  changes: Change[] | null = null,
): Promise<void> {
  const { id: teamId, name } = environment;
  const done = { teamId, scope: "Team" as const, itemId: String(teamId), activity, detail: { name, changes } };
  return recordActivity(tx, { ...done, ...who });
}

/** What a body wants changed; read before anything is written. Throws ApiError 400. */
export function readEnvironmentChange(body: JsonObject) {
  return {
    columns: readFields(ENVIRONMENT_FIELDS, body),
    settings: readFields(SETTING_FIELDS, body) as JsonObject,
  };
}

async function checkDashboard(tx: Tx, teamId: number, id: Json | undefined): Promise<void> {
  if (typeof id !== "number" || (await dashboardNames(tx, teamId, [id])).has(id)) return;
  throw invalidField("primary_dashboard", "invalid_input", "Dashboard does not belong to this team.");
}

/** Changes an environment as it is now: two changes of different fields at the same moment both stay. */
export async function changeEnvironment(
  tx: Tx,
  call: AccountCall,
  id: number,
  { columns, settings }: ReturnType<typeof readEnvironmentChange>,
): Promise<Environment> {
  await holdRow(tx, "environments", id);
  const before = await findEnvironment(tx, id);
  if (before === null) throw notFound();
  await checkDashboard(tx, id, settings.primary_dashboard);
  const after: Environment = {
    ...before,
    name: columns.name ?? before.name,
    timezone: columns.timezone ?? before.timezone,
    weekStartDay: columns.week_start_day === undefined ? before.weekStartDay : columns.week_start_day,
    settings: mergeSettings(before.settings, settings, call.deps.config.manageBodyMaxBytes),
    updatedAtMs: call.nowMs,
  };
  await updateEnvironment(tx, after);
  const [old, now] = [writableOf(before), writableOf(after)];
  await recordEnvironment(tx, whoOf(call), after, "updated", changesBetween("Team", old, now, Object.keys(now)));
  return after;
}

/** Some settings grow with every change, so there is a limit to all of them together. */
function mergeSettings(present: JsonObject, values: JsonObject, maxBytes: number): JsonObject {
  const merged: Record<string, Json> = { ...present };
  for (const [name, value] of Object.entries(values)) {
    const merge = SETTINGS[name]?.merge;
    merged[name] = merge === undefined ? value : merge(merged[name] ?? null, value);
  }
  if (Buffer.byteLength(JSON.stringify(merged)) > maxBytes) {
    throw invalidField(null, "max_length", `The settings of an environment must not be larger than ${maxBytes} bytes.`);
  }
  return merged;
}
