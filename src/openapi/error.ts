import { Type } from "@sinclair/typebox";
import { integer, nullable, object, oneOf, text } from "./schemas.ts";

/** The families of errors that clients of this API know. */
const ERROR_TYPES = [
  "authentication_error",
  "invalid_request",
  "validation_error",
  "throttled_error",
  "server_error",
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

export const ERROR_MEMBERS = {
  type: oneOf(ERROR_TYPES),
  code: text("The cause, for programs."),
  detail: text("The cause, for people."),
  attr: nullable(text("The field it is about; parts of a path joined by `__`.")),
};

/** The form of errors. */
export const ERROR = object("Error", {
  ...ERROR_MEMBERS,
  extra: Type.Optional(
    Type.Record(Type.String(), nullable(integer()), { description: "Of HogQL: `start` and `end` in its text." }),
  ),
});
