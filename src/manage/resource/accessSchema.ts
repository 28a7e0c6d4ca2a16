import { Type } from "@sinclair/typebox";
import { ENVIRONMENT_LEVELS, OBJECT_LEVELS } from "../../metadata/mod.ts";
import { nullable, object, oneOf, TIME, text } from "../../openapi/mod.ts";
import { USER } from "../http/shapes.ts";

const LEVEL = oneOf([...new Set([...OBJECT_LEVELS, ...ENVIRONMENT_LEVELS])]);

export const ACCESS_CONTROL = object("AccessControl", {
  access_level: nullable(LEVEL),
  resource: text(),
  resource_id: text(),
  organization_member: Type.Null(),
  role: Type.Null(),
  created_by: USER,
  created_at: nullable(TIME),
  updated_at: nullable(TIME),
});

export const ACCESS_CONTROLS = object("AccessControls", {
  access_controls: Type.Array(ACCESS_CONTROL),
  available_access_levels: Type.Array(LEVEL),
  default_access_level: LEVEL,
  user_access_level: LEVEL,
  user_can_edit_access_levels: Type.Boolean(),
});
