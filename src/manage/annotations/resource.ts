import {
  ANNOTATION_ORDERS,
  ANNOTATION_SCOPES,
  type Annotation,
  type AnnotationContent,
  type AnnotationFilter,
  type AnnotationView,
  changeTimeMs,
  createAnnotation,
  findAnnotation,
  findDashboard,
  findInsight,
  listAnnotations,
  updateAnnotation,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { invalidField, permissionDenied } from "../http/errors.ts";
import { flagParam, textParam, wordParam } from "../http/query.ts";
import { timeIn } from "../http/time.ts";
import { held } from "../resource/held.ts";
import { Resource } from "../resource/resource.ts";
import { mayDo, requireEditor, visibleTo } from "../serve/access.ts";
import { readId } from "../serve/guard.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { ANNOTATION_FIELDS, type AnnotationValues, contentOf, loggedOf, NEW_ANNOTATION } from "./fields.ts";
import { ANNOTATION, aroundOf } from "./shape.ts";

const NAME_MAX = 100;

async function find(tx: Tx, call: EnvironmentCall): Promise<Annotation | null> {
  const id = readId(call.params.id);
  return id === null ? null : findAnnotation(tx, viewOf(call), id);
}

/** A note about a time, on the charts of an insight, of a dashboard, or of all. */
export const ANNOTATIONS = new Resource<Annotation, AnnotationValues>({
  noun: "annotation",
  path: "annotations",
  scope: "annotation",
  log: "Annotation",
  fields: ANNOTATION_FIELDS,
  schema: ANNOTATION.schema,
  listQuery: {
    search: textParam("Part of the content."),
    scope: wordParam("On which charts they stand; `insight` is the same as `dashboard_item`.", [
      ...ANNOTATION_SCOPES,
      "insight",
    ]),
    date_from: textParam("The first time that they are about, ISO 8601."),
    date_to: textParam("The last time, which is part of it, ISO 8601."),
    hidden_in_user_interface: flagParam("Those that pages leave out, or without them."),
  },
  orders: ANNOTATION_ORDERS,
  order: "-date_marker_ms",
  find,
  hold: held("annotations", find),
  list: (tx, call, page) => listAnnotations(tx, filterOf(call), page),
  async make(tx, call, values) {
    const content = contentOf(values, NEW_ANNOTATION);
    requirePlace(content);
    await checkPlace(tx, call, content, values);
    const { environment, caller, nowMs } = call;
    const own = { teamId: environment.id, createdBy: caller.user.id, createdAtMs: nowMs };
    return createAnnotation(tx, { ...content, ...own });
  },
  async change(tx, call, before, values) {
    // One for all projects is changed where it was made: its insight and its dashboard are there.
    if (before.teamId !== call.environment.id) throw permissionDenied("This annotation belongs to another project.");
    await checkPlace(tx, call, before, {});
    const content = contentOf(values, before);
    if (!content.deleted) requirePlace(content);
    await checkPlace(tx, call, content, values);
    const after = { ...before, ...content, updatedAtMs: changeTimeMs(before.updatedAtMs, call.nowMs) };
    await updateAnnotation(tx, after);
    return { after };
  },
  nameOf: ({ content }) => (content === null ? null : [...content].slice(0, NAME_MAX).join("")),
  logged: (_tx, one) => loggedOf(one),
  async show(tx, call, items) {
    const around = await aroundOf(tx, call, items);
    return items.map((one) => ANNOTATION.show(one, around));
  },
});

const viewOf = ({ environment, caller }: EnvironmentCall): AnnotationView => ({
  teamId: environment.id,
  organizationId: environment.organizationId,
  insights: visibleTo(caller, "insight"),
  dashboards: visibleTo(caller, "dashboard"),
});

/** What a list is asked for. Throws ApiError 400. */
function filterOf(call: EnvironmentCall): AnnotationFilter {
  const { query } = call;
  const hidden = query.get("hidden_in_user_interface");
  const [fromMs, toMs] = [timeOf(call, "date_from"), timeOf(call, "date_to")];
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
    throw invalid("Invalid date range: date_from must be before date_to");
  }
  return {
    ...viewOf(call),
    search: query.get("search") || undefined,
    scope: scopeOf(query.get("scope")),
    fromMs,
    toMs,
    isHidden: hidden === null ? undefined : ["true", "1", "yes"].includes(hidden.toLowerCase()),
  };
}

function scopeOf(text: string | null): AnnotationFilter["scope"] {
  if (text === null || text === "") return undefined;
  const scope = ANNOTATION_SCOPES.find((one) => one === (text === "insight" ? "dashboard_item" : text));
  if (scope === undefined) throw invalid(`Invalid scope: ${text}`);
  return scope;
}

function timeOf({ query }: EnvironmentCall, name: "date_from" | "date_to"): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const ms = timeIn(text);
  if (ms === null) throw invalid(`Invalid date range: ${name} must be a valid ISO 8601 date`);
  return ms;
}

const invalid = (detail: string) => invalidField(null, "invalid_input", detail);

/** Throws ApiError 400 for an annotation of one insight or one dashboard that says of none: it would stand on no chart. */
function requirePlace({ scope, insightId, dashboardId }: AnnotationContent): void {
  const [attr, id] = scope === "dashboard_item" ? ["dashboard_item", insightId] : ["dashboard_id", dashboardId];
  if ((scope !== "dashboard_item" && scope !== "dashboard") || id !== null) return;
  throw invalidField(String(attr), "required", `The scope ${scope} needs it; the scope project stands on all charts.`);
}

/**
 * What an annotation belongs to must be there and seen by the caller, where `values` name it (400); what it stands on must be the
 * caller's to change (403).
 */
async function checkPlace(
  tx: Tx,
  { environment: { id: teamId }, caller }: EnvironmentCall,
  { scope, insightId, dashboardId }: AnnotationContent,
  values: AnnotationValues,
): Promise<void> {
  const insight = insightId === null ? null : await findInsight(tx, teamId, insightId);
  const dashboard = dashboardId === null ? null : await findDashboard(tx, teamId, dashboardId);
  if ((values.dashboard_item ?? null) !== null) {
    const isThere = insight !== null && !insight.deleted && mayDo(caller, "insight", insight, "viewer");
    const detail = `Invalid pk "${insightId}" - object does not exist.`;
    if (!isThere) throw invalidField("dashboard_item", "does_not_exist", detail);
  }
  if ((values.dashboard_id ?? null) !== null) {
    const isThere = dashboard !== null && !dashboard.deleted && mayDo(caller, "dashboard", dashboard, "viewer");
    if (!isThere) throw invalidField("dashboard_id", "invalid_input", "Dashboard not found.");
  }
  if (scope === "dashboard_item" && insight !== null) requireEditor(caller, "insight", insight);
  if (scope === "dashboard" && dashboard !== null) requireEditor(caller, "dashboard", dashboard);
}
