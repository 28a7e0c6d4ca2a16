import type { Dashboard, Tile, User } from "../../metadata/mod.ts";
import { isoTime } from "../http/reply.ts";
import { userBody } from "../http/userBody.ts";
import { accessFields } from "../serve/access.ts";
import type { Caller } from "../serve/route.ts";

const EVERYONE_CAN_EDIT = 21;

/** A dashboard as lists show it. */
export function basicDashboardBody(dashboard: Dashboard, users: ReadonlyMap<number, User>, caller: Caller) {
  return {
    id: dashboard.id,
    name: dashboard.name,
    description: dashboard.description,
    pinned: dashboard.pinned,
    created_at: isoTime(dashboard.createdAtMs),
    created_by: userBody(users, dashboard.createdBy),
    last_modified_at: isoTime(dashboard.lastModifiedAtMs),
    last_modified_by: userBody(users, dashboard.lastModifiedBy),
    is_shared: false,
    deleted: dashboard.deleted,
    creation_mode: "default",
    tags: dashboard.tags,
    team_id: dashboard.teamId,
    restriction_level: EVERYONE_CAN_EDIT,
    access_control_version: "v1",
    // Looks at dashboards are not noted; results have their times, each its own.
    last_accessed_at: null,
    last_refresh: null,
    ...accessFields(caller, dashboard),
  };
}

/** One tile with its insight's body. */
export function tileBody(tile: Tile, order: number, insight: object) {
  const { id, deleted, layouts, color } = tile;
  return { id, dashboard_id: tile.dashboardId, order, deleted, layouts, color, insight, text: null };
}

/** The whole object. */
export function dashboardBody(
  dashboard: Dashboard,
  users: ReadonlyMap<number, User>,
  caller: Caller,
  tiles: ReturnType<typeof tileBody>[],
) {
  const { filters, variables } = dashboard;
  const kept = { filters, variables, persisted_filters: filters, persisted_variables: variables };
  return { ...basicDashboardBody(dashboard, users, caller), ...kept, tiles };
}
