import { Type } from "@sinclair/typebox";
import {
  createPropertyDefinition,
  findPropertyDefinition,
  listPropertyDefinitions,
  PROPERTY_DEFINITION_ORDERS,
  type PropertyDefinition,
  type PropertyFilter,
  removePropertyDefinition,
  updatePropertyDefinition,
} from "../../metadata/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { PROPERTY_TYPES, type PropertyOwner, parseUuid } from "../../types/mod.ts";
import { choice, type FieldValues, integer, nullable, readFields, required } from "../http/fields.ts";
import { flagParam, jsonIn, jsonParam, type Query, textParam } from "../http/query.ts";
import { routesOf } from "../resource/routes.ts";
import { type EnvironmentCall, environmentRoutes } from "../serve/route.ts";
import { refreshCounts } from "./counts.ts";
import { definitionResource } from "./definition.ts";
import { keysOfEvents } from "./eventKeys.ts";
import { readShown, SHOWN_QUERY } from "./shown.ts";
import { propertyPlace } from "./uses.ts";
import { usesRoute } from "./usesRoute.ts";

const OWNER_FIELDS = {
  type: choice(["event", "person", "group"]),
  group_type_index: nullable(integer({ min: 0, max: 4 })),
};
/** The same fields in the query string. */
const OWNER_QUERY = {
  type: { description: "Of what it is a property.", schema: OWNER_FIELDS.type.schema },
  group_type_index: { description: "Of `group`: the number of its type.", schema: schemas.oneOf([0, 1, 2, 3, 4]) },
};
const FIELDS = { ...OWNER_FIELDS, property_type: nullable(choice(PROPERTY_TYPES)) };

/** A request that may ask for the properties of some events. */
interface PropertyCall extends EnvironmentCall {
  /** Names of the properties that those events have; absent where no events are named. */
  eventKeys?: readonly string[];
}

/** What properties are said to hold. Detected as events arrive, or set here: HogQL reads a property by it. */
const PROPERTIES = definitionResource<PropertyDefinition, typeof FIELDS, PropertyCall>({
  noun: "property",
  log: "PropertyDefinition",
  fields: FIELDS,
  newOnly: ["type", "group_type_index"],
  members: {
    type: [schemas.oneOf(["event", "person", "group"]), ({ owner }) => owner.type],
    group_type_index: [
      schemas.nullable(schemas.integer()),
      ({ owner }) => (owner.type === "group" ? owner.index : null),
    ],
    created_at: schemas.TIME,
    property_type: schemas.nullable(schemas.oneOf(PROPERTY_TYPES)),
    is_numerical: [Type.Boolean(), ({ propertyType }) => propertyType === "Numeric"],
    query_usage_30_day: schemas.nullable(
      schemas.integer("Insights that name it outside of HogQL, and were changed or looked at in the last 30 days."),
    ),
    is_seen_on_filtered_events: [
      schemas.nullable(
        Type.Boolean({ description: "Whether the events of `event_names` have it; null without those." }),
      ),
      ({ name, owner }, { call: { eventKeys } }) =>
        owner.type === "event" ? (eventKeys?.includes(name) ?? null) : null,
    ],
  },
  listQuery: {
    ...OWNER_QUERY,
    ...SHOWN_QUERY,
    properties: textParam("Names, separated by commas."),
    excluded_properties: jsonParam("Names that are left out.", Type.Array(Type.String())),
    is_numerical: flagParam("Only those that hold numbers, or only the others."),
    exclude_core_properties: flagParam("Without those of SDKs, whose names begin with `$`."),
    event_names: jsonParam(
      "Names of events: properties that their newest ones have come first.",
      Type.Array(Type.String()),
    ),
    filter_by_event_names: flagParam("Those alone."),
  },
  orders: PROPERTY_DEFINITION_ORDERS,
  findQuery: OWNER_QUERY,
  /** A name is one of events' properties unless `?type=` says whose. */
  async find(tx, { params, query, environment }) {
    const name = params.id ?? "";
    const id = parseUuid(name);
    const byId = id === null ? null : await findPropertyDefinition(tx, environment.id, { id });
    const owner = ownerOf(ownerIn(query));
    return byId ?? findPropertyDefinition(tx, environment.id, { owner, name });
  },
  list: (tx, call, page) => listPropertyDefinitions(tx, readFilter(call), page),
  draft({ property_type: type, ...owner }, base) {
    return {
      ...base,
      owner: ownerOf(owner),
      propertyType: type ?? null,
      isSet: type !== undefined,
      queryUsage30Day: null,
    };
  },
  create: createPropertyDefinition,
  change: (definition, { property_type: type }) =>
    type === undefined ? definition : { ...definition, propertyType: type, isSet: true },
  update: updatePropertyDefinition,
  remove: removePropertyDefinition,
  logged: ["property_type"],
});

const { list, create, retrieve, change, remove } = routesOf(PROPERTIES);

export const propertyDefinitionRoutes = environmentRoutes([
  {
    ...list,
    async handle(call: EnvironmentCall) {
      await refreshCounts(call);
      const names = readNames(call.query.get("event_names"));
      return list.handle(names.length === 0 ? call : { ...call, eventKeys: await keysOfEvents(call, names) });
    },
  },
  create,
  retrieve,
  change,
  remove,
  usesRoute(PROPERTIES, (named, { owner, name }) => named.properties.has(propertyPlace(owner.type, name))),
]);

/** Throws ApiError 400 for a group without the number of its type. */
function ownerOf({ type = "event", group_type_index: index }: FieldValues<typeof OWNER_FIELDS>): PropertyOwner {
  return type === "group" ? { type, index: required("group_type_index", index ?? undefined) } : { type };
}

const ownerIn = (query: Query) => readFields(OWNER_FIELDS, Object.fromEntries(query.entries()));

function readFilter({ query, environment, eventKeys }: PropertyCall): PropertyFilter {
  const { type: owner = "event", group_type_index: groupIndex } = ownerIn(query);
  const asked = query.get("properties")?.split(",");
  const isFiltered = owner === "event" && eventKeys !== undefined && query.get("filter_by_event_names") === "true";
  return {
    teamId: environment.id,
    owner,
    groupIndex: groupIndex ?? undefined,
    names: isFiltered ? eventKeys?.filter((name) => asked?.includes(name) ?? true) : asked,
    firstNames: owner === "event" ? eventKeys : undefined,
    exceptNames: readNames(query.get("excluded_properties")),
    isNumerical: query.has("is_numerical") ? query.get("is_numerical") === "true" : undefined,
    isOwn: query.get("exclude_core_properties")?.toLowerCase() === "true" ? true : undefined,
    ...readShown(query),
  };
}

/** A JSON list of texts; what is none counts as absent. */
function readNames(json: string | null): string[] {
  const names = jsonIn(json ?? "[]");
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
