import {
  changeTimeMs,
  createDashboard,
  DASHBOARD_ORDERS,
  type Dashboard,
  findDashboard,
  findUsers,
  listDashboards,
  setTilesOfDashboard,
  sharedAmong,
  tilesOfDashboard,
  updateDashboard,
} from "../../metadata/mod.ts";
import type { Overrides } from "../../query/mod.ts";
import type { Json } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { flagParam, OVERRIDES_QUERY, textParam } from "../http/query.ts";
import { pageOf, TIMEOUT } from "../http/shapes.ts";
import { showInsights } from "../insights/show.ts";
import { mergeOverrides, readOverrides } from "../query/overrides.ts";
import { parseRefresh, REFRESH_PARAM } from "../query/refresh.ts";
import { held } from "../resource/held.ts";
import { byId, Resource } from "../resource/resource.ts";
import { apiValues, recordValues } from "../resource/shape.ts";
import { requireMaker, visibleTo } from "../serve/access.ts";
import { whoOf } from "../serve/activity.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { contentOf, overridesOf, placed } from "./content.ts";
import { copyTiles, findOriginal } from "./copy.ts";
import { deleteInsights } from "./deleteInsights.ts";
import { BEGINNING, DASHBOARD_FIELDS, type DashboardValues, ENDING, NEW_DASHBOARD, TILES } from "./fields.ts";
import { fillDashboard } from "./fill.ts";
import { BASIC_DASHBOARD, DASHBOARD } from "./shape.ts";
import { TEMPLATES } from "./templates.ts";
import { changeTile, checkTexts, tilesSeen } from "./tiles.ts";

/** Insights shown together. */
export const DASHBOARDS = new Resource<Dashboard, DashboardValues, EnvironmentCall, Overrides>({
  noun: "dashboard",
  path: "dashboards",
  scope: "dashboard",
  log: "Dashboard",
  controlled: "dashboard",
  summaries: {
    retrieve: "Retrieve a dashboard with its insights; `refresh` says whether results may be calculated",
    change:
      "Change a dashboard and its `tiles`; `deleted` hides it, and brings it back; `delete_insights` deletes its insights with it",
  },
  fields: { ...DASHBOARD_FIELDS, ...BEGINNING, ...ENDING, ...TILES },
  newOnly: Object.keys(BEGINNING),
  changeOnly: Object.keys({ ...ENDING, ...TILES }),
  schema: DASHBOARD.schema,
  pageSchema: pageOf(BASIC_DASHBOARD.schema),
  listQuery: {
    search: textParam("Part of the name or of a tag."),
    pinned: flagParam("Only those that are pinned, or with `false` only the others."),
    user: textParam("Only your own, whatever the value."),
  },
  orders: DASHBOARD_ORDERS,
  find: byId(findDashboard),
  hold: held("dashboards", byId(findDashboard)),
  list(tx, { query, environment, caller }, page) {
    const filter = {
      teamId: environment.id,
      visible: visibleTo(caller, "dashboard"),
      search: query.get("search") || undefined,
      pinned: query.has("pinned") ? query.get("pinned") !== "false" : undefined,
      createdBy: query.has("user") ? caller.user.id : undefined,
    };
    return listDashboards(tx, filter, page);
  },
  /** With the insights of the template, or of the dashboard, that it names. */
  async make(tx, call, { use_template: name, use_dashboard: like, duplicate_tiles: areCopied, ...values }) {
    const template = templateOf(name);
    const original = like == null ? null : await findOriginal(tx, call, like);
    if (template !== null || areCopied === true) requireMaker(call.caller, "insight");
    const given = recordValues(values);
    const [teamId, userId] = [call.environment.id, call.caller.user.id];
    const begun = {
      ...NEW_DASHBOARD,
      ...(original && { filters: original.filters, variables: original.variables }),
      ...(template && { description: template.description }),
    };
    const content = { ...begun, ...given, name: given.name || (template?.name ?? given.name ?? null) };
    const { id } = await createDashboard(tx, { teamId, userId, content, nowMs: call.nowMs });
    if (template !== null) {
      await fillDashboard(tx, whoOf(call), { teamId, userId, dashboardId: id, tiles: template.tiles });
    } else if (original !== null) {
      await copyTiles(tx, call, { original, dashboardId: id, areCopied: areCopied === true });
    }
    return (await findDashboard(tx, teamId, id))!;
  },
  /** And its tiles; both or neither. A deleted one takes its tiles with it, and brings them back. */
  async change(tx, call, before, { tiles: wishes = [], delete_insights: takesInsights, ...values }) {
    const { caller, nowMs } = call;
    const after: Dashboard = {
      ...before,
      ...recordValues(values),
      updatedAtMs: changeTimeMs(before.updatedAtMs, nowMs),
      lastModifiedAtMs: changeTimeMs(before.lastModifiedAtMs, nowMs),
      lastModifiedBy: caller.user.id,
    };
    const { id, deleted } = after;
    if (takesInsights) await deleteInsights(tx, call, { before, after });
    await updateDashboard(tx, after);
    if (deleted !== before.deleted) await setTilesOfDashboard(tx, id, { deleted });
    const tiles = await tilesSeen(tx, caller, after);
    const author = { userId: caller.user.id, nowMs };
    for (const [i, wish] of wishes.entries()) await changeTile(tx, { dashboard: after, tiles, author }, wish, i);
    if (wishes.length > 0) await checkTexts(tx, id);
    return { after };
  },
  nameOf: ({ name }) => name,
  async logged(tx, dashboard) {
    const tiles = (await tilesOfDashboard(tx, dashboard.id)).map(
      ({ id, insightId, text, color, layouts }): Json => ({
        id,
        ...(text === null ? { insight_id: insightId } : { text: text.body }),
        color,
        layouts,
      }),
    );
    return { ...apiValues(dashboard, Object.keys(DASHBOARD_FIELDS)), tiles };
  },
  async show(tx, { caller: viewer }, dashboards) {
    const users = await findUsers(tx, dashboards.flatMap(makersOf));
    const ids = dashboards.map(({ id }) => id);
    const shared = await sharedAmong(tx, "dashboard", ids);
    return dashboards.map((dashboard) => BASIC_DASHBOARD.show(dashboard, { users, viewer, shared }));
  },
  whole: {
    query: { refresh: REFRESH_PARAM, ...OVERRIDES_QUERY },
    responses: TIMEOUT,
    wanted: ({ query }) => readOverrides(query),
    show: (call, dashboards, own) => Promise.all(dashboards.map((dashboard) => wholeBody(call, dashboard, own))),
  },
});

/** Null for none. Throws ApiError 400 for one that there is not. */
function templateOf(name: string | null | undefined) {
  if (name == null || name === "") return null;
  const template = Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
  if (template !== undefined) return template;
  throw invalidField("use_template", "invalid_input", `Invalid template provided: ${name}`);
}

const makersOf = ({ createdBy, lastModifiedBy }: Dashboard) => [createdBy, lastModifiedBy];

/** With its insights, asked under its own filters and what the request puts over those. */
async function wholeBody(call: EnvironmentCall, dashboard: Dashboard, own: Overrides) {
  const { tiles, insights, users, shared } = await call.deps.db.read(async (tx) => {
    const content = await contentOf(tx, dashboard);
    const authors = content.tiles.flatMap(({ text }) => (text === null ? [] : [text.createdBy, text.lastModifiedBy]));
    return {
      ...content,
      users: await findUsers(tx, [...makersOf(dashboard), ...authors]),
      shared: await sharedAmong(tx, "dashboard", [dashboard.id]),
    };
  });
  const bodies = await showInsights(call, insights, {
    mode: parseRefresh(call.query.get("refresh") ?? undefined),
    viewer: call.caller,
    overrides: mergeOverrides(overridesOf(dashboard), own),
  });
  const shown = placed(tiles, new Map(bodies.map((body) => [body.id, body])));
  return DASHBOARD.show(dashboard, { users, shared, viewer: call.caller, tiles: shown });
}
