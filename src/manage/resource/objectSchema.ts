import { type TProperties, Type } from "@sinclair/typebox";
import { integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import { USER } from "../http/shapes.ts";

/** A named object of a project; `own`: the members that its kind adds. */
export function objectSchema<T extends TProperties>(name: string, own: T) {
  return object(name, {
    id: integer(),
    name: nullable(text()),
    description: text(),
    deleted: Type.Boolean(),
    created_at: TIME,
    created_by: USER,
    team_id: integer(),
    user_access_level: text(),
    ...own,
  });
}
