import {
  changeTimeMs,
  createDashboard,
  DASHBOARD_ORDERS,
  type Dashboard,
  findDashboard,
  findInsights,
  findUsers,
  listDashboards,
  setTilesOfDashboard,
  type Tile,
  tilesOfDashboard,
  updateDashboard,
  updateTile,
} from "../../metadata/mod.ts";
import type { Overrides } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { readFields, required } from "../http/fields.ts";
import { flagParam, OVERRIDES_QUERY, textParam } from "../http/query.ts";
import { pageOf, TIMEOUT } from "../http/shapes.ts";
import { showInsights } from "../insights/show.ts";
import { mergeOverrides, readOverrides } from "../query/overrides.ts";
import { parseRefresh, REFRESH_PARAM } from "../query/refresh.ts";
import { byId, Resource } from "../resource/resource.ts";
import { apiValues, recordValues } from "../resource/shape.ts";
import { seesAll } from "../serve/access.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { DASHBOARD_FIELDS, type DashboardValues, NEW_DASHBOARD, TILE_FIELDS, TILE_ID, TILES } from "./fields.ts";
import { BASIC_DASHBOARD, DASHBOARD } from "./shape.ts";

/** Insights shown together. */
export const DASHBOARDS = new Resource<Dashboard, DashboardValues, EnvironmentCall, Overrides>({
  noun: "dashboard",
  path: "dashboards",
  scope: "dashboard",
  log: "Dashboard",
  table: "dashboards",
  summaries: {
    retrieve: "Retrieve a dashboard with its insights; `refresh` says whether results may be calculated",
    change: "Change a dashboard and its `tiles`; `deleted` hides it, and brings it back",
  },
  fields: { ...DASHBOARD_FIELDS, ...TILES },
  changeOnly: Object.keys(TILES),
  schema: DASHBOARD.schema,
  pageSchema: pageOf(BASIC_DASHBOARD.schema),
  listQuery: {
    search: textParam("Part of the name or of a tag."),
    pinned: flagParam("Only those that are pinned, or with `false` only the others."),
    user: textParam("Only your own, whatever the value."),
  },
  orders: DASHBOARD_ORDERS,
  find: byId(findDashboard),
  list(tx, { query, environment, caller }, page) {
    const filter = {
      teamId: environment.id,
      openOnly: !seesAll(caller),
      search: query.get("search") || undefined,
      pinned: query.has("pinned") ? query.get("pinned") !== "false" : undefined,
      createdBy: query.has("user") ? caller.user.id : undefined,
    };
    return listDashboards(tx, filter, page);
  },
  make(tx, { environment, caller, nowMs }, values) {
    const content = { ...NEW_DASHBOARD, ...recordValues(values) };
    return createDashboard(tx, { teamId: environment.id, userId: caller.user.id, content, nowMs });
  },
  /** And its tiles; both or neither. A deleted one takes its tiles with it, and brings them back. */
  async change(tx, { caller, nowMs }, before, { tiles: wishes = [], ...values }) {
    const after: Dashboard = {
      ...before,
      ...recordValues(values),
      updatedAtMs: changeTimeMs(before.updatedAtMs, nowMs),
      lastModifiedAtMs: changeTimeMs(before.lastModifiedAtMs, nowMs),
      lastModifiedBy: caller.user.id,
    };
    const { id, deleted } = after;
    await updateDashboard(tx, after);
    if (deleted !== before.deleted) await setTilesOfDashboard(tx, id, { deleted });
    const tiles = await tilesOfDashboard(tx, id, { withDeleted: true });
    for (const [i, wish] of wishes.entries()) await changeTile(tx, tiles, wish, i);
    return { after };
  },
  nameOf: ({ name }) => name,
  async logged(tx, dashboard) {
    const tiles = (await tilesOfDashboard(tx, dashboard.id)).map(
      (tile): Json => ({ id: tile.id, insight_id: tile.insightId, color: tile.color, layouts: tile.layouts }),
    );
    return { ...apiValues(dashboard, Object.keys(DASHBOARD_FIELDS)), tiles };
  },
  async show(tx, { caller: viewer }, dashboards) {
    const users = await findUsers(tx, dashboards.flatMap(makersOf));
    return dashboards.map((dashboard) => BASIC_DASHBOARD.show(dashboard, { users, viewer }));
  },
  whole: {
    query: { refresh: REFRESH_PARAM, ...OVERRIDES_QUERY },
    responses: TIMEOUT,
    wanted: ({ query }) => readOverrides(query),
    show: (call, dashboards, own) => Promise.all(dashboards.map((dashboard) => wholeBody(call, dashboard, own))),
  },
});

const makersOf = ({ createdBy, lastModifiedBy }: Dashboard) => [createdBy, lastModifiedBy];

async function changeTile(tx: Tx, tiles: readonly Tile[], wish: JsonObject, index: number): Promise<void> {
  const id = required(`tiles__${index}__id`, readFields(TILE_ID, wish).id);
  const tile = tiles.find((candidate) => candidate.id === id);
  if (tile === undefined) {
    throw invalidField(`tiles__${index}__id`, "does_not_exist", `Invalid pk "${id}" - object does not exist.`);
  }
  const values = readFields(TILE_FIELDS, wish);
  // One that never was deleted stays so.
  const deleted = values.deleted || (tile.deleted === null ? null : (values.deleted ?? tile.deleted));
  await updateTile(tx, { id, deleted, color: values.color ?? tile.color, layouts: values.layouts ?? tile.layouts });
}

/** With its insights, asked under its own filters and what the request puts over those. */
async function wholeBody(call: EnvironmentCall, dashboard: Dashboard, own: Overrides) {
  const { tiles, insights, users } = await call.deps.db.read(async (tx) => {
    const tiles = await tilesOfDashboard(tx, dashboard.id);
    const ids = tiles.map((tile) => tile.insightId);
    const insights = (await findInsights(tx, dashboard.teamId, ids)).filter((insight) => !insight.deleted);
    return { tiles, insights, users: await findUsers(tx, makersOf(dashboard)) };
  });
  const bodies = await showInsights(call, insights, {
    mode: parseRefresh(call.query.get("refresh") ?? undefined),
    viewer: call.caller,
    overrides: mergeOverrides({ filters: dashboard.filters, variables: dashboard.variables }, own),
  });
  const bodyById = new Map(bodies.map((body) => [body.id, body]));
  const shown = tiles.flatMap((tile, order) => {
    const insight = bodyById.get(tile.insightId);
    return insight === undefined ? [] : [{ ...tile, order, insight }];
  });
  return DASHBOARD.show(dashboard, { users, viewer: call.caller, tiles: shown });
}
