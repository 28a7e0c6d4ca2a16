import { Type } from "@sinclair/typebox";
import { anyObject, integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { LANES } from "../../types/mod.ts";

export const DEAD_LETTER = object("DeadLetter", {
  id: integer(),
  lane: oneOf(LANES),
  reason: text("Why it was set aside, for programs."),
  detail: text("The same for people."),
  event: nullable(
    Type.Object(
      { uuid: UUID, event: text(), distinct_id: text(), timestamp: TIME, properties: anyObject() },
      { description: "As it was accepted; null when it could not be read." },
    ),
  ),
  timestamp: TIME,
  redriven_at: nullable(TIME),
});

export const REDRIVEN = object("Redriven", { id: integer() });
