import { ANNOTATION_SCOPES, type Annotation, type AnnotationContent, CREATION_TYPES } from "../../metadata/mod.ts";
import { boolean, choice, type FieldValues, integer, nullable, text } from "../http/fields.ts";
import { time } from "../http/time.ts";

const CONTENT_MAX = 8192;

/** All that a client may set of an annotation. */
export const ANNOTATION_FIELDS = {
  content: nullable(text({ maxLength: CONTENT_MAX, blank: true })),
  date_marker: nullable(time()),
  creation_type: choice(CREATION_TYPES),
  dashboard_item: nullable(integer()),
  dashboard_id: nullable(integer()),
  deleted: boolean(),
  scope: choice(ANNOTATION_SCOPES),
  hidden_in_user_interface: nullable(boolean()),
};
export type AnnotationValues = FieldValues<typeof ANNOTATION_FIELDS>;

/** What a new one has where nothing is said. */
export const NEW_ANNOTATION: AnnotationContent = {
  content: null,
  dateMarkerMs: null,
  scope: "dashboard_item",
  creationType: "USR",
  insightId: null,
  dashboardId: null,
  isHidden: null,
  deleted: false,
};

/** The content that values ask for, over that of before. */
export function contentOf(values: AnnotationValues, before: AnnotationContent): AnnotationContent {
  const { content, date_marker, creation_type, dashboard_item, dashboard_id, deleted, scope } = values;
  const { hidden_in_user_interface: isHidden } = values;
  return {
    content: content === undefined ? before.content : content || null,
    dateMarkerMs: date_marker === undefined ? before.dateMarkerMs : date_marker,
    scope: scope ?? before.scope,
    creationType: creation_type ?? before.creationType,
    insightId: dashboard_item === undefined ? before.insightId : dashboard_item,
    dashboardId: dashboard_id === undefined ? before.dashboardId : dashboard_id,
    isHidden: isHidden === undefined ? before.isHidden : isHidden,
    deleted: deleted ?? before.deleted,
  };
}

/** The members that the activity log compares, by their names in the API. */
export const loggedOf = (one: Annotation) => ({
  content: one.content,
  date_marker: one.dateMarkerMs === null ? null : new Date(one.dateMarkerMs).toISOString(),
  creation_type: one.creationType,
  dashboard_item: one.insightId,
  dashboard_id: one.dashboardId,
  deleted: one.deleted,
  scope: one.scope,
  hidden_in_user_interface: one.isHidden,
});
