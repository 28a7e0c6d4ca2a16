import { Type } from "@sinclair/typebox";
import {
  createEventDefinition,
  type EventDefinition,
  findEventDefinition,
  listEventDefinitions,
  updateEventDefinition,
} from "../../metadata/mod.ts";
import { nullable, TIME } from "../../openapi/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import type { Fields } from "../http/fields.ts";
import { flagParam, textParam } from "../http/query.ts";
import { isoTime } from "../http/reply.ts";
import { resourceRoutes } from "../resource/routes.ts";
import { environmentRoutes } from "../serve/route.ts";
import { definitionResource } from "./definition.ts";

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
    is_action: [Type.Boolean(), () => false],
    is_calculating: [Type.Boolean(), () => false],
  },
  listQuery: {
    search: textParam("Part of the name, the description or a tag."),
    exclude_hidden: flagParam("Without those that are hidden."),
  },
  findQuery: {},
  async find(tx, { params, environment }) {
    const name = params.id ?? "";
    const id = parseUuid(name);
    const byId = id === null ? null : await findEventDefinition(tx, environment.id, { id });
    return byId ?? findEventDefinition(tx, environment.id, { name });
  },
  list(tx, { query, environment }, page) {
    const search = query.get("search") || undefined;
    const withHidden = query.get("exclude_hidden") !== "true";
    return listEventDefinitions(tx, { teamId: environment.id, withHidden, search }, page);
  },
  draft: (_values, base) => ({ ...base, lastSeenAtMs: null }),
  create: createEventDefinition,
  change: (definition) => definition,
  update: updateEventDefinition,
  logged: [],
});

export const eventDefinitionRoutes = environmentRoutes(resourceRoutes(EVENTS));
