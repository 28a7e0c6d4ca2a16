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
import { flagParam, textParam } from "../http/query.ts";
import { isoTime } from "../http/reply.ts";
import { type DefinitionKind, definitionRoutes } from "./routes.ts";
import { definitionSchema } from "./schema.ts";

/** Names of events: they define themselves by arriving; people may say more of them. */
const EVENTS: DefinitionKind<EventDefinition> = {
  noun: "event",
  path: "event_definitions",
  log: "EventDefinition",
  newFields: {},
  fields: {},
  shape: definitionSchema("EventDefinition", {
    created_at: TIME,
    last_seen_at: nullable(TIME),
    last_updated_at: TIME,
    is_action: Type.Boolean(),
    is_calculating: Type.Boolean(),
  }),
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
    const search = query.get("search");
    const withHidden = query.get("exclude_hidden") !== "true";
    return listEventDefinitions(tx, { teamId: environment.id, withHidden, ...(search ? { search } : {}) }, page);
  },
  draft: (_body, base) => ({ ...base, lastSeenAtMs: null }),
  create: createEventDefinition,
  change: (definition) => definition,
  update: updateEventDefinition,
  show: (definition) => ({
    created_at: isoTime(definition.createdAtMs),
    last_seen_at: isoTime(definition.lastSeenAtMs),
    last_updated_at: isoTime(definition.updatedAtMs),
    is_action: false,
    is_calculating: false,
  }),
  logged: () => ({}),
};

export const eventDefinitionRoutes = definitionRoutes(EVENTS);
