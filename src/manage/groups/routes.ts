import { listGroupTypes } from "../../metadata/mod.ts";
import { type ListedGroup, listGroups } from "../../query/mod.ts";
import type { GroupIndex } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { choice, FieldError } from "../http/fields.ts";
import { hasMoreBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { type EnvironmentCall, environmentRoutes, type Route } from "../http/route.ts";
import { groupTypeBody } from "./body.ts";

/** Groups as they are now, and their types. */
export const groupRoutes: Route[] = environmentRoutes([
  {
    method: "GET",
    path: "groups_types/",
    summary: "List the types of groups by their index",
    scope: "group:read",
    async handle({ deps, environment }) {
      return json((await deps.db.read((tx) => listGroupTypes(tx, environment.id))).map(groupTypeBody));
    },
  },
  {
    method: "GET",
    path: "groups/",
    summary: "List the groups of one type (`group_type_index`), the newest first: `search`, `group_key`",
    scope: "group:read",
    handle: list,
  },
  {
    method: "GET",
    path: "groups/find/",
    summary: "Retrieve a group by `group_type_index` and `group_key`",
    scope: "group:read",
    handle: retrieve,
  },
]);

async function list(call: EnvironmentCall): Promise<Response> {
  const { query, url } = call;
  const page = readPage(query);
  const index = readIndex(query);
  const given = (name: string) => query.get(name) || null;
  const context = await call.deps.queries.calculator.contextNow(call);
  const wish = { index, key: given("group_key"), search: given("search") };
  const { groups, hasMore } = await listGroups({ ...wish, ...page }, context);
  const results = groups.map((group) => groupBody(index, group));
  return json(hasMoreBody(url, page, hasMore, results));
}

async function retrieve(call: EnvironmentCall): Promise<Response> {
  const index = readIndex(call.query);
  const key = call.query.get("group_key");
  if (key === null) throw invalidField("group_key", "required", "This field is required.");
  const context = await call.deps.queries.calculator.contextNow(call);
  const { groups } = await listGroups({ index, key, search: null, limit: 1, offset: 0 }, context);
  if (groups[0] === undefined) throw notFound();
  return json(groupBody(index, groups[0]));
}

const INDEX = choice<GroupIndex>([0, 1, 2, 3, 4]);

/** Throws ApiError 400. */
function readIndex(query: URLSearchParams): GroupIndex {
  const name = "group_type_index";
  const value = query.get(name);
  if (value === null) throw invalidField(name, "required", "This field is required.");
  try {
    return INDEX.read(value);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw invalidField(name, error.code, error.detail);
  }
}

function groupBody(index: GroupIndex, { key, createdAt, properties }: ListedGroup) {
  return { group_type_index: index, group_key: key, group_properties: properties, created_at: createdAt };
}
