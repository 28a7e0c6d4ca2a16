import { Type } from "@sinclair/typebox";
import { type Access, ENVIRONMENT_LEVELS, OBJECT_LEVELS } from "../../metadata/mod.ts";
import { nullable, object, oneOf, TIME, text } from "../../openapi/mod.ts";
import { isoTime } from "../http/reply.ts";
import { always, shape, userOf, type WithUsers } from "./shape.ts";

const LEVEL = oneOf([...new Set([...OBJECT_LEVELS, ...ENVIRONMENT_LEVELS])]);

/** What is said of one record; `resource`: its kind. */
export const ACCESS_CONTROL = shape<{ access: Access<string>; id: number; resource: string }, WithUsers>(
  "AccessControl",
  {
    access_level: [nullable(LEVEL), ({ access }) => access.level],
    resource: text(),
    resource_id: [text(), ({ id }) => String(id)],
    organization_member: always(null),
    role: always(null),
    created_by: userOf(({ access }) => access.setBy),
    created_at: [nullable(TIME), ({ access }) => isoTime(access.createdAtMs)],
    updated_at: [nullable(TIME), ({ access }) => isoTime(access.updatedAtMs)],
  },
);

export const ACCESS_CONTROLS = object("AccessControls", {
  access_controls: Type.Array(ACCESS_CONTROL.schema),
  available_access_levels: Type.Array(LEVEL),
  default_access_level: LEVEL,
  user_access_level: LEVEL,
  user_can_edit_access_levels: Type.Boolean(),
});
