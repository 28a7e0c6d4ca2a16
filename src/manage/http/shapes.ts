import { type TSchema, Type } from "@sinclair/typebox";
import {
  anything,
  ERROR,
  integer,
  nullable,
  object,
  oneOf,
  type Responses,
  TIME,
  text,
  URL_TEXT,
  UUID,
} from "../../openapi/mod.ts";

// What answers of several resources have in common.

/** Of routes that may calculate. */
export const TIMEOUT: Responses = { 504: ERROR };

/** A page of a list, by `limit` and `offset`. */
export function pageOf(item: TSchema): TSchema {
  return object(`PageOf${item.$id}`, {
    count: integer("Of the whole list."),
    next: nullable(URL_TEXT),
    previous: nullable(URL_TEXT),
    results: Type.Array(item),
  });
}

/** The same of a list in which nothing is. */
export const EMPTY_PAGE = object("EmptyPage", {
  count: Type.Literal(0),
  next: Type.Null(),
  previous: nullable(URL_TEXT),
  results: Type.Array(Type.Never(), { maxItems: 0 }),
});

/** What one may do with an object of a project. */
export const ACCESS_FIELDS = {
  effective_restriction_level: integer("21: all may edit it; 37: collaborators alone."),
  effective_privilege_level: integer("21: you may see it; 37: you may edit it."),
  user_access_level: text("What you may do with it."),
};

const CHANGE = object("Change", {
  type: text("What kind of record."),
  action: oneOf(["changed", "created", "deleted"]),
  field: text(),
  before: anything(),
  after: anything(),
});

const ACTIVITY = object("Activity", {
  id: UUID,
  user: Type.Object({
    first_name: text(),
    email: nullable(text()),
    is_system: Type.Optional(Type.Literal(true)),
  }),
  activity: text("`created`, `updated`, `deleted`, …"),
  scope: text("What kind of record."),
  item_id: text(),
  detail: Type.Object({
    name: nullable(text()),
    short_id: nullable(text()),
    changes: nullable(Type.Array(CHANGE)),
    merge: Type.Null(),
    trigger: Type.Null(),
    type: Type.Null(),
  }),
  created_at: TIME,
});

/** A page of what was done, newest first, by `limit` and `page`. */
export const ACTIVITY_PAGE = object("ActivityPage", {
  results: Type.Array(ACTIVITY),
  next: nullable(URL_TEXT),
  previous: nullable(URL_TEXT),
  total_count: integer(),
});
