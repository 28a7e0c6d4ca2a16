import { Type } from "@sinclair/typebox";
import { cleanText } from "../../json/mod.ts";
import { listGroupTypes } from "../../metadata/mod.ts";
import { groupValues, listGroups } from "../../query/mod.ts";
import { type GroupIndex, MAX_GROUP_TYPES } from "../../types/mod.ts";
import { list } from "../http/compound.ts";
import { notFound } from "../http/errors.ts";
import { choice, readField, readFields, required, shownOf, text } from "../http/fields.ts";
import { hasMoreBody, PAGE_QUERY, readPage } from "../http/page.ts";
import { type Query, textParam } from "../http/query.ts";
import { empty, json } from "../http/reply.ts";
import { morePageOf, TIMEOUT } from "../http/shapes.ts";
import { COUNTED_VALUES, countedValues, VALUES_QUERY } from "../persons/values.ts";
import { type EnvironmentCall, environmentRoutes, type Route } from "../serve/route.ts";
import { groupBatchRoute } from "./batch.ts";
import { relatedRoute } from "./related.ts";
import { GROUP, GROUP_TYPE, GROUP_TYPES } from "./shape.ts";

const INDEX = choice<GroupIndex>([0, 1, 2, 3, 4]);
const INDEX_QUERY = {
  group_type_index: { description: "The number of the type.", schema: shownOf(INDEX), isRequired: true },
};
const ONE_QUERY = { ...INDEX_QUERY, group_key: { ...textParam("Its key."), isRequired: true } };
/** As long as the type of an event's group may be. */
const TYPE_MAX_CHARACTERS = 400;
const TYPE_FIELDS = {
  group_types: list(text({ maxLength: TYPE_MAX_CHARACTERS }), { minItems: 1, maxItems: MAX_GROUP_TYPES }),
};

/** Groups as they are now, and their types. */
export const groupRoutes: Route[] = environmentRoutes([
  {
    method: "GET",
    path: "groups_types/",
    summary: "List the types of groups by their index",
    scope: "group:read",
    responses: { 200: Type.Array(GROUP_TYPE.schema) },
    async handle({ deps, environment }) {
      const types = await deps.db.read((tx) => listGroupTypes(tx, environment.id));
      return json(types.map((type) => GROUP_TYPE.show(type, null)));
    },
  },
  {
    method: "POST",
    path: "groups_types/",
    summary: "Give types of groups their numbers, in this order, before events name them; types that have one keep it",
    scope: "group:write",
    unlogged: "types are data, like events, which make them too",
    body: TYPE_FIELDS,
    requires: ["group_types"],
    responses: { 200: GROUP_TYPES },
    async handle(call) {
      const { deps, environment } = call;
      const names = required("group_types", readFields(TYPE_FIELDS, await call.body()).group_types);
      await deps.people.ensureGroupTypes(environment.id, names.map(cleanText));
      const types = await deps.db.read((tx) => listGroupTypes(tx, environment.id));
      return json({ group_types: types.map((type) => GROUP_TYPE.show(type, null)) });
    },
  },
  {
    method: "GET",
    path: "groups/",
    summary: "List the groups of one type, the newest first",
    scope: "group:read",
    query: {
      ...INDEX_QUERY,
      ...PAGE_QUERY,
      search: textParam("Part of the key or of the name."),
      group_key: textParam("The key of one."),
    },
    responses: { 200: morePageOf(GROUP.schema), ...TIMEOUT },
    handle: listOf,
  },
  {
    method: "DELETE",
    path: "groups/",
    summary: "Delete a group; its events stay. It is gone for queries when this answers",
    scope: "group:write",
    query: ONE_QUERY,
    responses: { 202: null, ...TIMEOUT },
    unlogged: "which one was deleted is not to be written down",
    handle: remove,
  },
  {
    method: "GET",
    path: "groups/find/",
    summary: "Retrieve a group by its type and key",
    scope: "group:read",
    query: ONE_QUERY,
    responses: { 200: GROUP.schema, ...TIMEOUT },
    handle: retrieve,
  },
  groupBatchRoute,
  relatedRoute,
  {
    method: "GET",
    path: "groups/property_values/",
    summary: "The values of a property that most groups of one type have, with how many",
    scope: "group:read",
    query: { ...INDEX_QUERY, ...VALUES_QUERY },
    responses: { 200: COUNTED_VALUES, ...TIMEOUT },
    handle: values,
  },
]);

async function listOf(call: EnvironmentCall): Promise<Response> {
  const { query, url } = call;
  const page = readPage(query);
  const index = readIndex(query);
  const given = (name: string) => query.get(name) || null;
  const context = await call.deps.queries.calculator.contextNow(call);
  const key = given("group_key");
  const wish = { index, keys: key === null ? null : [key], search: given("search") };
  const { groups, hasMore } = await listGroups({ ...wish, ...page }, context);
  const results = groups.map((group) => GROUP.show(group, { index }));
  return json(hasMoreBody(url, page, hasMore, results));
}

async function remove(call: EnvironmentCall): Promise<Response> {
  const group = { teamId: call.environment.id, ...readOne(call.query) };
  if (!(await call.deps.people.eraseGroup(group))) throw notFound("Group not found.");
  return empty(202);
}

async function retrieve(call: EnvironmentCall): Promise<Response> {
  const { index, key } = readOne(call.query);
  const context = await call.deps.queries.calculator.contextNow(call);
  const { groups } = await listGroups({ index, keys: [key], search: null, limit: 1, offset: 0 }, context);
  if (groups[0] === undefined) throw notFound();
  return json(GROUP.show(groups[0], { index }));
}

async function values(call: EnvironmentCall): Promise<Response> {
  const index = readIndex(call.query);
  const key = call.query.get("key");
  if (key === null || key === "") return countedValues([]);
  const context = await call.deps.queries.calculator.contextNow(call);
  return countedValues(await groupValues({ index, key, part: call.query.get("value") || null }, context));
}

/** Throws ApiError 400. */
function readOne(query: Query): { index: GroupIndex; key: string } {
  return { index: readIndex(query), key: required("group_key", query.get("group_key") ?? undefined) };
}

/** Throws ApiError 400. */
function readIndex(query: Query): GroupIndex {
  const name = "group_type_index";
  return readField(name, INDEX, required(name, query.get(name) ?? undefined));
}
