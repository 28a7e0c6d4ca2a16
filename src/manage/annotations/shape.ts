import { Type } from "@sinclair/typebox";
import {
  type Annotation,
  type Dashboard,
  findDashboards,
  findInsights,
  findUsers,
  type Insight,
} from "../../metadata/mod.ts";
import { integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { shownFields } from "../http/fields.ts";
import { isoTime } from "../http/reply.ts";
import { ACCESS_FIELDS } from "../http/shapes.ts";
import { always, shape, userOf, type WithUsers } from "../resource/shape.ts";
import { accessLevel, mayDo } from "../serve/access.ts";
import type { Caller, EnvironmentCall } from "../serve/route.ts";
import { ANNOTATION_FIELDS } from "./fields.ts";

/** What annotations are shown with. */
interface Around extends WithUsers {
  caller: Caller;
  /** The environment of the request. */
  teamId: number;
  /** Those that the caller may see; of others nothing is told. */
  insights: ReadonlyMap<number, Insight>;
  dashboards: ReadonlyMap<number, Dashboard>;
}

/** Records that several annotations are shown with. */
export async function aroundOf(
  tx: Tx,
  { caller, environment: { id: teamId } }: EnvironmentCall,
  items: readonly Annotation[],
): Promise<Around> {
  const numbers = (ids: (number | null)[]) => [...new Set(ids.filter((id) => id !== null))];
  const own = items.filter((one) => one.teamId === teamId);
  const insights = await findInsights(tx, teamId, numbers(own.map(({ insightId }) => insightId)));
  const dashboards = await findDashboards(tx, teamId, numbers(own.map(({ dashboardId }) => dashboardId)));
  const users = await findUsers(
    tx,
    items.map(({ createdBy }) => createdBy),
  );
  return {
    caller,
    teamId,
    users,
    insights: new Map(insights.filter((one) => mayDo(caller, "insight", one, "viewer")).map((one) => [one.id, one])),
    dashboards: new Map(
      dashboards.filter((one) => mayDo(caller, "dashboard", one, "viewer")).map((one) => [one.id, one]),
    ),
  };
}

const insightOf = ({ insightId }: Annotation, { insights }: Around) => insights.get(insightId ?? 0);
const dashboardOf = ({ dashboardId }: Annotation, { dashboards }: Around) => dashboards.get(dashboardId ?? 0);

/** What a caller may do with an annotation: what its insight or its dashboard allows; others are of all. */
function levelOf(one: Annotation, around: Around): string {
  const { caller } = around;
  const [insight, dashboard] = [insightOf(one, around), dashboardOf(one, around)];
  if (one.teamId !== around.teamId) return "viewer";
  if (one.scope === "dashboard_item" && insight !== undefined) return accessLevel(caller, "insight", insight);
  if (one.scope === "dashboard" && dashboard !== undefined) return accessLevel(caller, "dashboard", dashboard);
  return "editor";
}

const FIELDS = shownFields(ANNOTATION_FIELDS);

export const ANNOTATION = shape<Annotation, Around>("Annotation", {
  id: integer(),
  content: FIELDS.content,
  date_marker: [FIELDS.date_marker, ({ dateMarkerMs }) => isoTime(dateMarkerMs)],
  creation_type: FIELDS.creation_type,
  dashboard_item: [FIELDS.dashboard_item, (one, around) => insightOf(one, around)?.id ?? null],
  dashboard_id: [FIELDS.dashboard_id, (one, around) => dashboardOf(one, around)?.id ?? null],
  dashboard_name: [nullable(text()), (one, around) => dashboardOf(one, around)?.name ?? null],
  insight_short_id: [nullable(text()), (one, around) => insightOf(one, around)?.shortId ?? null],
  insight_name: [nullable(text()), (one, around) => insightOf(one, around)?.name ?? null],
  insight_derived_name: [nullable(text()), (one, around) => insightOf(one, around)?.derivedName ?? null],
  created_by: userOf(({ createdBy }) => createdBy),
  created_at: TIME,
  updated_at: TIME,
  deleted: FIELDS.deleted,
  scope: FIELDS.scope,
  emoji: always(null),
  hidden_in_user_interface: [FIELDS.hidden_in_user_interface, ({ isHidden }) => isHidden],
  user_access_level: [ACCESS_FIELDS.user_access_level, levelOf],
});

/** An annotation as a link shows it: neither by whom it is, nor what else it belongs to. */
export const SHARED_ANNOTATION = shape<Annotation>("SharedAnnotation", {
  id: integer(),
  content: nullable(text()),
  date_marker: [TIME, ({ dateMarkerMs }) => isoTime(dateMarkerMs)],
  dashboard_item: [
    nullable(integer("The only insight that it stands on; null for all.")),
    ({ scope, insightId }) => (scope === "dashboard_item" ? insightId : null),
  ],
});
export const SHARED_ANNOTATIONS = object("SharedAnnotations", { results: Type.Array(SHARED_ANNOTATION.schema) });
