import { Type } from "@sinclair/typebox";
import { DAY_MS, dayOf, parseUuid } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { flagParam, type Query } from "../http/query.ts";
import { empty, json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { requireLevel } from "../serve/guard.ts";
import { environmentRoutes, type Route } from "../serve/route.ts";
import { personBatchRoute } from "./batch.ts";
import { NAMED_PERSON, USAGE } from "./schema.ts";
import { PERSON_FIELDS, readPerson } from "./told.ts";

const USAGE_DEFAULT_DAYS = 30;
const USAGE_MAX_DAYS = 366;
const USAGE_COUNTS = ["billable", "historical", "historical_recent"] as const;

const dayParam = (description: string) => ({ description, schema: Type.String({ format: "date" }) });

/** A UTC day of the query string, as its number. */
function readDay(query: Query, name: string, fallback: number): number {
  const value = query.get(name);
  if (value === null) return fallback;
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw invalidField(name, "invalid", "Date has wrong format. Use YYYY-MM-DD.");
  return dayOf(ms);
}

const isoDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Persons told by hand, and what a project's events add up to. */
export const personRoutes: Route[] = environmentRoutes([
  {
    method: "POST",
    path: "persons/",
    summary: "Make a person, or merge into one; answers when queries see it",
    scope: "person:write",
    unlogged: "persons are data, like events: the log of persons holds what was said of them",
    body: PERSON_FIELDS,
    requires: ["distinct_ids"],
    responses: { 201: NAMED_PERSON },
    async handle(call) {
      const person = readPerson(await call.body(), await call.bodyText());
      await call.deps.people.import(call.environment.id, [person], call.nowMs);
      return json({ distinct_ids: person.distinctIds }, 201);
    },
  },
  personBatchRoute,
  {
    method: "DELETE",
    path: "persons/:id/",
    summary: "Delete a person; with its events it needs the level `admin`. It is gone for queries when this answers",
    scope: "person:write",
    query: { delete_events: flagParam("With its events.") },
    responses: { 202: null, ...TIMEOUT },
    unlogged: "who was deleted is not to be written down",
    async handle(call) {
      const personId = parseUuid(call.params.id!);
      if (personId === null)
        throw invalidField("id", "invalid_input", "This is no id of a person, but may be a distinct_id.");
      const withEvents = call.query.get("delete_events") === "true";
      // Events that are deleted cannot be had back.
      if (withEvents) requireLevel(call.caller, "admin");
      const teamId = call.environment.id;
      if (!(await call.deps.people.erasePerson({ teamId, personId, withEvents }))) throw notFound("Person not found.");
      return empty(202);
    },
  },
  {
    method: "GET",
    path: "usage/",
    summary: "Events by UTC day of acceptance: billable, and of migrations",
    scope: "project:read",
    query: {
      date_from: dayParam(`The first day; ${USAGE_DEFAULT_DAYS} days when absent.`),
      date_to: dayParam("The last day; today when absent."),
    },
    responses: { 200: USAGE },
    async handle(call) {
      const toDay = readDay(call.query, "date_to", dayOf(call.nowMs));
      const fromDay = readDay(call.query, "date_from", toDay - USAGE_DEFAULT_DAYS + 1);
      if (toDay - fromDay >= USAGE_MAX_DAYS) {
        throw invalidField("date_from", "invalid", `The range must not be longer than ${USAGE_MAX_DAYS} days.`);
      }
      const days = await call.deps.people.usage(call.environment.id, { fromDay, toDay });
      const results = days.map(({ day, billable, historical, historicalRecent }) => {
        return { date: isoDay(day), billable, historical, historical_recent: historicalRecent };
      });
      const total = { billable: 0, historical: 0, historical_recent: 0 };
      for (const day of results) for (const key of USAGE_COUNTS) total[key] += day[key];
      return json({ date_from: isoDay(fromDay), date_to: isoDay(toDay), total, results });
    },
  },
]);
