import { Type } from "@sinclair/typebox";
import {
  CHANNELS,
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type Delivery,
  listDeliveries,
  outboxFigures,
} from "../../metadata/mod.ts";
import { integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { textParam } from "../http/query.ts";
import { isoTime, json } from "../http/reply.ts";
import { pageRoute } from "../resource/pageRoute.ts";
import { routesOf } from "../resource/routes.ts";
import { shape } from "../resource/shape.ts";
import { environmentRoutes, type Route } from "../serve/route.ts";
import { ALERTS } from "./alerts.ts";
import { SUBSCRIPTIONS } from "./subscriptions.ts";

const ofAlerts = routesOf(ALERTS);
const ofSubscriptions = routesOf(SUBSCRIPTIONS);

const DELIVERY = shape<Delivery>("Delivery", {
  id: [UUID, "id"],
  kind: oneOf(DELIVERY_KINDS),
  source_id: text("The id of the alert or subscription."),
  title: text(),
  channel: oneOf(CHANNELS),
  target: text(),
  state: oneOf(DELIVERY_STATES),
  attempts: integer("Tries that failed."),
  latest_error: nullable(text()),
  created_at: TIME,
  due_at: [nullable(TIME), ({ state, dueAtMs }) => (state === "waiting" ? isoTime(dueAtMs) : null)],
  ended_at: nullable(TIME),
});

const OUTBOX = object("Outbox", {
  waiting: integer("Messages that are not delivered yet."),
  failing: integer("Those of them of which a try has failed."),
  oldest_ms: nullable(Type.Integer({ description: "For how long the oldest waits, in milliseconds." })),
  failed: integer("Given up in the last 30 days."),
});

/** What tells of targets needs the right to change the project. */
const FOR_ADMINS = { scope: "alert:read", level: "admin" } as const;

/** Alerts, subscriptions, and the messages that they have made. */
export const alertRoutes: Route[] = environmentRoutes([
  ...Object.values(ofAlerts),
  ofSubscriptions.list,
  ofSubscriptions.create,
  ofSubscriptions.retrieve,
  ofSubscriptions.change,
  ofSubscriptions.put,
  {
    ...pageRoute({
      path: "deliveries/",
      summary: "The messages of alerts and subscriptions of the last 30 days, newest first",
      scope: FOR_ADMINS.scope,
      item: DELIVERY,
      query: { state: textParam("Those in this state."), source_id: textParam("Those of this alert or subscription.") },
      read({ deps, environment, query }, page) {
        const [state, sourceId] = ["state", "source_id"].map((name) => query.get(name) ?? undefined);
        return deps.db.read((tx) => listDeliveries(tx, { teamId: environment.id, state, sourceId }, page));
      },
    }),
    level: FOR_ADMINS.level,
  },
  {
    method: "GET",
    path: "deliveries/status/",
    summary: "How many messages of alerts and subscriptions wait, and for how long",
    scope: "project:read",
    responses: { 200: OUTBOX },
    async handle({ deps, environment, nowMs }) {
      const { oldestAtMs, ...counts } = await deps.db.read((tx) => outboxFigures(tx, environment.id));
      return json({ ...counts, oldest_ms: oldestAtMs === null ? null : Math.max(0, nowMs - oldestAtMs) });
    },
  },
]);
