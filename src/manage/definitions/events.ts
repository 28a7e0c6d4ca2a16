import { Type } from "@sinclair/typebox";
import {
  createEventDefinition,
  EVENT_DEFINITION_ORDERS,
  type EventDefinition,
  findEventDefinition,
  listEventDefinitions,
  removeEventDefinition,
  updateEventDefinition,
} from "../../metadata/mod.ts";
import { integer, nullable, TIME } from "../../openapi/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import type { Fields } from "../http/fields.ts";
import { wordParam } from "../http/query.ts";
import { isoTime } from "../http/reply.ts";
import { routesOf } from "../resource/routes.ts";
import { environmentRoutes } from "../serve/route.ts";
import { refreshCounts } from "./counts.ts";
import { definitionResource } from "./definition.ts";
import { readShown, SHOWN_QUERY } from "./shown.ts";
import { usesRoute } from "./usesRoute.ts";

/** Names of events: they define themselves by arriving; people may say more of them. */
const EVENTS = definitionResource<EventDefinition, Fields>({
  noun: "event",
  log: "EventDefinition",
  fields: {},
  newOnly: [],
  members: {
    created_at: TIME,
    last_seen_at: nullable(TIME),
    last_updated_at: [TIME, ({ updatedAtMs }) => isoTime(updatedAtMs)],
    volume_30_day: nullable(integer("Events of the last 30 days, some minutes ago; null before the first count.")),
    query_usage_30_day: nullable(
      integer("Insights that name it outside of HogQL, and were changed or looked at in the last 30 days."),
    ),
    is_action: [Type.Boolean(), () => false],
    is_calculating: [Type.Boolean(), () => false],
  },
  listQuery: {
    ...SHOWN_QUERY,
    event_type: wordParam("Only those of SDKs, whose names begin with `$`, or only the others; all where absent.", [
      "event_custom",
      "event_posthog",
    ]),
  },
  orders: EVENT_DEFINITION_ORDERS,
  findQuery: {},
  async find(tx, { params, environment }) {
    const name = params.id ?? "";
    const id = parseUuid(name);
    const byId = id === null ? null : await findEventDefinition(tx, environment.id, { id });
    return byId ?? findEventDefinition(tx, environment.id, { name });
  },
  list(tx, { query, environment }, page) {
    const isOwn = { event_custom: true, event_posthog: false }[query.get("event_type") ?? ""];
    return listEventDefinitions(tx, { teamId: environment.id, isOwn, ...readShown(query) }, page);
  },
  draft: (_values, base) => ({ ...base, lastSeenAtMs: null, volume30Day: null, queryUsage30Day: null }),
  create: createEventDefinition,
  change: (definition) => definition,
  update: updateEventDefinition,
  remove: removeEventDefinition,
  logged: [],
});

const { list, create, retrieve, change, remove } = routesOf(EVENTS);

export const eventDefinitionRoutes = environmentRoutes([
  {
    ...list,
    async handle(call) {
      await refreshCounts(call);
      return list.handle(call);
    },
  },
  create,
  retrieve,
  change,
  remove,
  usesRoute(EVENTS, ({ events }, { name }) => events.has(name)),
]);
