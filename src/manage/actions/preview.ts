import { Type } from "@sinclair/typebox";
import * as schemas from "../../openapi/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { type Field, integer, readFields, required } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { TIMEOUT } from "../http/shapes.ts";
import { ofField, UNSAVED, withAction } from "../query/unsaved.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { checkPatterns } from "./patterns.ts";

/** Older events are not looked at. */
const DAYS = 30;
const LIMIT = 20;
const LIMIT_MAX = 100;

const EVENT = schemas.object("PreviewedEvent", {
  uuid: schemas.UUID,
  event: schemas.text(),
  timestamp: schemas.TIME,
  distinct_id: schemas.text(),
  url: schemas.nullable(schemas.text("Of the page on which it was.")),
  text: schemas.nullable(schemas.text("Of what was clicked.")),
});
const PREVIEW = schemas.object("ActionPreview", {
  count: schemas.integer(`How many events of the last ${DAYS} days match.`),
  days: schemas.integer("How many days were looked at."),
  results: Type.Array(EVENT, { description: "The newest of them." }),
});

/** `actions/preview/`: which events an action would match. `steps`: as an action has them; `whole` makes each one of them whole. */
export function previewRoute(
  steps: Field<JsonObject[]>,
  whole: (step: JsonObject) => JsonObject,
): HandledBy<EnvironmentCall> {
  const body = { steps, limit: integer({ min: 0, max: LIMIT_MAX }) };
  return {
    method: "POST",
    path: "actions/preview/",
    summary: `Events of the last ${DAYS} days that an action of these steps would match, the newest first; nothing is saved`,
    scope: ["action:read"],
    body,
    requires: ["steps"],
    responses: { 200: PREVIEW, ...TIMEOUT },
    unlogged: "changes nothing",
    async handle(call) {
      const { steps: given, limit = LIMIT } = readFields(body, await call.body());
      await checkPatterns(call, given);
      return json(await previewOf(call, required("steps", given).map(whole), limit));
    },
  };
}

const COLUMNS = ["uuid", "event", "timestamp", "distinct_id", "properties.$current_url", "elements_chain_texts"];

async function previewOf(call: EnvironmentCall, steps: readonly JsonObject[], limit: number): Promise<object> {
  // An action without steps matches nothing that anybody means.
  if (steps.length === 0) return { count: 0, days: DAYS, results: [] };
  const look = async (node: JsonObject) => {
    const records = (all: Parameters<typeof withAction>[0]) => withAction(all, steps);
    const { results } = await call.deps.queries.calculator.look(call, node, { records }).catch((error: unknown) => {
      throw ofField(error, "steps");
    });
    return results as unknown[][];
  };
  const counting = `SELECT count() FROM events WHERE matchesAction(${UNSAVED}) AND timestamp > now() - INTERVAL ${DAYS} DAY`;
  const [[count]] = (await look({ kind: "HogQLQuery", query: counting })) as [[unknown]];
  const events = { kind: "EventsQuery", select: COLUMNS, actionId: UNSAVED, after: `-${DAYS}d` };
  const rows = limit === 0 ? [] : await look({ ...events, orderBy: ["timestamp DESC"], limit });
  return { count: Number(count), days: DAYS, results: rows.map(eventOf) };
}

function eventOf([uuid, event, at, distinctId, url, texts]: unknown[]): object {
  const text = Array.isArray(texts) ? texts[0] : null;
  return {
    uuid,
    event,
    timestamp: at,
    distinct_id: distinctId,
    url: typeof url === "string" ? url : null,
    text: typeof text === "string" && text !== "" ? text : null,
  };
}
