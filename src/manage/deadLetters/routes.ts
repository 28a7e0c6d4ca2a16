import { Type } from "@sinclair/typebox";
import type { StoredDeadLetter } from "../../lake/mod.ts";
import { anyObject, integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { LANES } from "../../types/mod.ts";
import { notFound } from "../http/errors.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { isoTime, json } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
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
  timestamp: [TIME, ({ atMs }) => isoTime(atMs)],
  redriven_at: nullable(TIME),
});

const REDRIVEN = object("Redriven", { id: integer() });

function eventBody(text: string) {
  const { uuid, event, distinctId, timestampMs, properties } = JSON.parse(text);
  return { uuid, event, distinct_id: distinctId, timestamp: isoTime(timestampMs), properties };
}

/** Events that were set aside, for their owner. */
export const deadLetterRoutes: Route[] = environmentRoutes([
  {
    method: "GET",
    path: "dead_letters/",
    summary: "Events that were accepted and set aside, with the reason, newest first",
    scope: "project:read",
    query: PAGE_QUERY,
    responses: { 200: pageOf(DEAD_LETTER.schema) },
    async handle(call) {
      const page = readPage(call.query);
      const { count, items } = await call.deps.people.deadLetters(call.environment.id, page);
      const letters = items.map((letter) => DEAD_LETTER.show(letter, null));
      return json(pageBody(call.url, page, count, letters));
    },
  },
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
