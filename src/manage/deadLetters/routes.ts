import { Type } from "@sinclair/typebox";
import type { StoredDeadLetter } from "../../lake/mod.ts";
import { anyObject, integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { LANES } from "../../types/mod.ts";
import { notFound } from "../http/errors.ts";
import { JsonText } from "../http/longList.ts";
import { isoTime, json } from "../http/reply.ts";
import { pageRoute } from "../resource/pageRoute.ts";
import { shape } from "../resource/shape.ts";
import { readId } from "../serve/guard.ts";
import { environmentRoutes, type Route } from "../serve/route.ts";

const DEAD_LETTER = shape<StoredDeadLetter>("DeadLetter", {
  id: integer(),
  lane: oneOf(LANES),
  reason: text("Why it was set aside, for programs."),
  detail: text("The same for people."),
  event: [
    nullable(
      Type.Object(
        { uuid: UUID, event: text(), distinct_id: text(), timestamp: TIME, properties: anyObject() },
        { description: "As it was accepted; null when it could not be read." },
      ),
    ),
    ({ event }) => (event === "" ? null : eventBody(event)),
  ],
  timestamp: [TIME, "atMs"],
  redriven_at: nullable(TIME),
});

const REDRIVEN = object("Redriven", { id: integer() });

function eventBody(text: string) {
  const { uuid, event, distinctId, timestampMs, properties } = JSON.parse(text);
  // Kept as the text that came in; numbers stay as they were written.
  return {
    uuid,
    event,
    distinct_id: distinctId,
    timestamp: isoTime(timestampMs),
    properties: new JsonText(properties),
  };
}

/** Events that were set aside, for their owner. */
export const deadLetterRoutes: Route[] = environmentRoutes([
  pageRoute({
    path: "dead_letters/",
    summary: "Events that were accepted and set aside, with the reason, newest first",
    scope: "project:read",
    item: DEAD_LETTER,
    read: ({ deps, environment }, page) => deps.people.deadLetters(environment.id, page),
  }),
  {
    method: "POST",
    path: "dead_letters/:id/redrive/",
    summary: "Send an event that was set aside in again",
    scope: "project:write",
    responses: { 200: REDRIVEN },
    unlogged: "events are data; the letter keeps when it was sent in again",
    async handle(call) {
      const id = readId(call.params.id);
      if (id === null || !(await call.deps.people.redrive(call.environment.id, id))) throw notFound();
      return json({ id });
    },
  },
]);
