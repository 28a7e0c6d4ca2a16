import { Type } from "@sinclair/typebox";
import { anyObject, nullable, object, oneOf, TIME, text, URL_TEXT } from "../../openapi/mod.ts";

const INDEX = oneOf([0, 1, 2, 3, 4]);

export const GROUP_TYPE = object("GroupType", {
  group_type: text("Its name."),
  group_type_index: INDEX,
  name_singular: Type.Null(),
  name_plural: Type.Null(),
  detail_dashboard: Type.Null(),
  default_columns: Type.Null(),
  created_at: Type.Null(),
});

export const GROUP = object("Group", {
  group_type_index: INDEX,
  group_key: text(),
  group_properties: anyObject(),
  created_at: nullable(TIME),
});

export const GROUPS_PAGE = object("GroupsPage", {
  next: nullable(URL_TEXT),
  previous: nullable(URL_TEXT),
  results: Type.Array(GROUP),
});
