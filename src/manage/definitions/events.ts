import {
  createEventDefinition,
  type EventDefinition,
  findEventDefinition,
  listEventDefinitions,
  updateEventDefinition,
} from "../../metadata/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { isoTime } from "../http/reply.ts";
import { type DefinitionKind, definitionRoutes } from "./routes.ts";

/** Names of events: they define themselves by arriving; people may say more of them. */
const EVENTS: DefinitionKind<EventDefinition> = {
  noun: "event",
  path: "event_definitions",
  log: "EventDefinition",
  newFields: {},
  fields: {},
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
