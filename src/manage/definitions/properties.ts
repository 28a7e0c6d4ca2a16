import { Type } from "@sinclair/typebox";
import {
  createPropertyDefinition,
  findPropertyDefinition,
  listPropertyDefinitions,
  type PropertyDefinition,
  type PropertyFilter,
  updatePropertyDefinition,
} from "../../metadata/mod.ts";
import * as schemas from "../../openapi/mod.ts";
import { type JsonObject, PROPERTY_TYPES, type PropertyOwner, parseUuid } from "../../types/mod.ts";
import { choice, integer, nullable, readFields, required } from "../http/fields.ts";
import { flagParam, jsonParam, textParam } from "../http/query.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { type DefinitionKind, definitionRoutes } from "./routes.ts";
import { definitionSchema } from "./schema.ts";

const OWNER_FIELDS = {
  type: choice(["event", "person", "group"]),
  group_type_index: nullable(integer({ min: 0, max: 4 })),
};
/** The same fields in the query string. */
const OWNER_QUERY = {
  type: { description: "Of what it is a property.", schema: OWNER_FIELDS.type.schema },
  group_type_index: { description: "Of `group`: the number of its type.", schema: schemas.oneOf([0, 1, 2, 3, 4]) },
};
const FIELDS = { property_type: nullable(choice(PROPERTY_TYPES)) };

/** What properties are said to hold. Detected as events arrive, or set here: HogQL reads a property by it. */
const PROPERTIES: DefinitionKind<PropertyDefinition> = {
  noun: "property",
  path: "property_definitions",
  log: "PropertyDefinition",
  newFields: { ...OWNER_FIELDS, ...FIELDS },
  fields: FIELDS,
  shape: definitionSchema("PropertyDefinition", {
    type: schemas.oneOf(["event", "person", "group"]),
    group_type_index: schemas.nullable(schemas.integer()),
    property_type: schemas.nullable(schemas.oneOf(PROPERTY_TYPES)),
    is_numerical: Type.Boolean(),
    is_seen_on_filtered_events: Type.Null(),
  }),
  listQuery: {
    ...OWNER_QUERY,
    search: textParam("Part of the name, the description or a tag."),
    properties: textParam("Names, separated by commas."),
    excluded_properties: jsonParam("Names that are left out.", Type.Array(Type.String())),
    is_numerical: flagParam("Only those that hold numbers, or only the others."),
    exclude_hidden: flagParam("Without those that are hidden."),
  },
  findQuery: OWNER_QUERY,
  /** A name is one of events' properties unless `?type=` says whose. */
  async find(tx, { params, query, environment }) {
    const name = params.id ?? "";
    const id = parseUuid(name);
    const byId = id === null ? null : await findPropertyDefinition(tx, environment.id, { id });
    const owner = ownerOf(Object.fromEntries(query.entries()));
    return byId ?? findPropertyDefinition(tx, environment.id, { owner, name });
  },
  list: (tx, call, page) => listPropertyDefinitions(tx, readFilter(call), page),
  draft(body, base) {
    const { property_type: type } = readFields(FIELDS, body);
    return { ...base, owner: ownerOf(body), propertyType: type ?? null, isSet: type !== undefined };
  },
  create: createPropertyDefinition,
  change(definition, body) {
    const { property_type: type } = readFields(FIELDS, body);
    return type === undefined ? definition : { ...definition, propertyType: type, isSet: true };
  },
  update: updatePropertyDefinition,
  show: ({ owner, propertyType }) => ({
    type: owner.type,
    group_type_index: owner.type === "group" ? owner.index : null,
    property_type: propertyType,
    is_numerical: propertyType === "Numeric",
    is_seen_on_filtered_events: null,
  }),
  logged: ({ propertyType }) => ({ property_type: propertyType }),
};

export const propertyDefinitionRoutes = definitionRoutes(PROPERTIES);

/** Throws ApiError 400 for a group without the number of its type. */
function ownerOf(body: JsonObject): PropertyOwner {
  const { type = "event", group_type_index: index } = readFields(OWNER_FIELDS, body);
  return type === "group" ? { type, index: required("group_type_index", index ?? undefined) } : { type };
}

function readFilter({ query, environment }: EnvironmentCall): PropertyFilter {
  const { type: owner = "event", group_type_index: groupIndex } = readFields(
    OWNER_FIELDS,
    Object.fromEntries(query.entries()),
  );
  const search = query.get("search");
  const names = query.get("properties")?.split(",");
  return {
    teamId: environment.id,
    owner,
    ...(groupIndex == null ? {} : { groupIndex }),
    ...(names === undefined ? {} : { names }),
    exceptNames: readNames(query.get("excluded_properties")),
    ...(query.has("is_numerical") ? { isNumerical: query.get("is_numerical") === "true" } : {}),
    withHidden: query.get("exclude_hidden") !== "true",
    ...(search ? { search } : {}),
  };
}

/** A JSON list of texts; what is none counts as absent. */
function readNames(json: string | null): string[] {
  try {
    const names: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
