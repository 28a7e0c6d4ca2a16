import { Type } from "@sinclair/typebox";
import { cleanJson, cleanText, membersOf } from "../../json/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { isIllegalToMerge } from "../../persons/mod.ts";
import { DAY_MS, dayOf, parseUuid } from "../../types/mod.ts";
import { list, object } from "../http/compound.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { type Field, FieldError, nullable, readFields, required, text } from "../http/fields.ts";
import { flagParam, type Query } from "../http/query.ts";
import { empty, json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { requireLevel } from "../serve/guard.ts";
import { environmentRoutes, type Route } from "../serve/route.ts";
import { NAMED_PERSON, USAGE } from "./schema.ts";

const DISTINCT_ID_MAX_CHARACTERS = 200;
const DISTINCT_IDS_MAX = 1_000;
/** In valid JSON they are only between tokens. */
const LINE_BREAKS = /[\r\n\t]/g;
const USAGE_DEFAULT_DAYS = 30;
const USAGE_MAX_DAYS = 366;
const USAGE_COUNTS = ["billable", "historical", "historical_recent"] as const;

/** `Date.parse` alone takes more than ISO 8601, e.g. "0". */
const ISO = /^[+-]?\d{4,6}-\d{2}/;

/** An ISO 8601 time, as epoch milliseconds. */
function time(): Field<number> {
  const base = text();
  return {
    schema: schemas.TIME,
    read(value) {
      const ms = typeof value === "string" && ISO.test(value.trim()) ? Date.parse(base.read(value)) : Number.NaN;
      if (Number.isNaN(ms)) throw new FieldError("invalid", "Datetime has wrong format. Use ISO 8601.");
      return ms;
    },
  };
}

const FIELDS = {
  distinct_ids: list(text({ maxLength: DISTINCT_ID_MAX_CHARACTERS }), { minItems: 1, maxItems: DISTINCT_IDS_MAX }),
  properties: object(),
  created_at: nullable(time()),
};

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
    body: FIELDS,
    requires: ["distinct_ids"],
    responses: { 201: NAMED_PERSON },
    async handle(call) {
      const fields = readFields(FIELDS, await call.body());
      const distinctIds = [...new Set(required("distinct_ids", fields.distinct_ids).map(cleanText))];
      const illegal = distinctIds.length > 1 ? distinctIds.find(isIllegalToMerge) : undefined;
      if (illegal !== undefined) {
        throw invalidField("distinct_ids", "invalid", `"${illegal}" names nobody: it cannot be one of several ids.`);
      }
      // To the letter, so that numbers keep their digits; but on one line, as all stored JSON is.
      const text = (await call.bodyText()).replace(LINE_BREAKS, " ");
      const properties = cleanJson(membersOf(text).get("properties") ?? "{}");
      const person = { kind: "import", distinctIds, properties, createdAtMs: fields.created_at ?? null } as const;
      await call.deps.people.importPerson(call.environment.id, person, call.nowMs);
      return json({ distinct_ids: distinctIds }, 201);
    },
  },
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
