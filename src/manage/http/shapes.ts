import { type TSchema, Type } from "@sinclair/typebox";
import { ERROR, integer, nullable, object, type Responses, text, URL_TEXT } from "../../openapi/mod.ts";

// What answers of several resources have in common.

/** Of routes that may calculate. */
export const TIMEOUT: Responses = { 504: ERROR };

/** A page of a list, by `limit` and `offset`. */
export function pageOf(item: TSchema, $id = `PageOf${item.$id}`): TSchema {
  return object($id, {
    count: integer("Of the whole list."),
    next: nullable(URL_TEXT),
    previous: nullable(URL_TEXT),
    results: Type.Array(item),
  });
}

/** The same of a list that is not counted. */
export const morePageOf = (item: TSchema): TSchema =>
  object(`${item.$id}sPage`, { next: nullable(URL_TEXT), previous: nullable(URL_TEXT), results: Type.Array(item) });

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
