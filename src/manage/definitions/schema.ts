import { type TProperties, Type } from "@sinclair/typebox";
import { object, TIME, text } from "../../openapi/mod.ts";
import { USER } from "../http/shapes.ts";

/** What is known of an event or a property; `own`: the members that its kind adds. */
export function definitionSchema<T extends TProperties>(name: string, own: T) {
  return object(name, {
    id: text(),
    name: text(),
    description: text(),
    tags: Type.Array(text()),
    verified: Type.Boolean(),
    hidden: Type.Boolean(),
    updated_at: TIME,
    updated_by: USER,
    ...own,
  });
}
