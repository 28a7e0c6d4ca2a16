import type { StoredDeadLetter } from "../../lake/mod.ts";
import { notFound } from "../http/errors.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { isoTime, json } from "../http/reply.ts";
import { pageOf } from "../http/shapes.ts";
import { readId } from "../serve/guard.ts";
import { environmentRoutes, type Route } from "../serve/route.ts";
import { DEAD_LETTER, REDRIVEN } from "./schema.ts";

function letterBody({ id, lane, reason, detail, event, atMs, redrivenAtMs }: StoredDeadLetter) {
  return {
    id,
    lane,
    reason,
    detail,
    /** As it was accepted; null when it could not be read. */
    event: event === "" ? null : eventBody(event),
    timestamp: isoTime(atMs),
    redriven_at: isoTime(redrivenAtMs),
  };
}

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
    responses: { 200: pageOf(DEAD_LETTER) },
    async handle(call) {
      const page = readPage(call.query);
      const { count, items } = await call.deps.people.deadLetters(call.environment.id, page);
      return json(pageBody(call.url, page, count, items.map(letterBody)));
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
