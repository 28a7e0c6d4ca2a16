import { type Dashboard, findDashboard } from "../../metadata/mod.ts";
import { notFound } from "../http/errors.ts";
import { mayDo } from "../serve/access.ts";
import { readId } from "../serve/guard.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** The dashboard that `:id` names; throws ApiError 404. */
export async function findDashboardOf(call: EnvironmentCall, o = { deleted: false }): Promise<Dashboard> {
  const id = readId(call.params.id);
  const dashboard = id === null ? null : await call.deps.db.read((tx) => findDashboard(tx, call.environment.id, id));
  if (dashboard === null || !mayDo(call.caller, dashboard, "viewer")) throw notFound();
  if (dashboard.deleted && !o.deleted) throw notFound();
  return dashboard;
}
