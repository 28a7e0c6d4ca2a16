import { OBJECT_LEVELS } from "../../metadata/mod.ts";
import { orderParam } from "../http/order.ts";
import { PAGE_QUERY } from "../http/page.ts";
import { pageOf } from "../http/shapes.ts";
import { accessLevel, type Controlled } from "../serve/access.ts";
import { activityRoute } from "../serve/activity.ts";
import { DEFAULT_LEVEL } from "../serve/levels.ts";
import type { AccountCall, EnvironmentCall, HandledBy, Scope } from "../serve/route.ts";
import { accessRoutes } from "./accessRoutes.ts";
import type { Description, Entity } from "./description.ts";
import { changeFields, newFields, type Resource } from "./resource.ts";

/** The routes that a kind of record can have; each works where its description has what it does. */
export function routesOf<T extends Entity, V extends object, C extends AccountCall, S>(resource: Resource<T, V, C, S>) {
  return { ...routesOfAll(resource), ...routesOfOne(resource) };
}

function routesOfAll<T extends Entity, V extends object, C extends AccountCall, S>(resource: Resource<T, V, C, S>) {
  const { noun, scope, schema, orders, orderName = "order", ...described } = resource.description;
  const { show, whole, summaries = {} } = described;
  const path = `${described.path}/`;
  const listed = show === undefined ? whole : undefined;
  const list: HandledBy<C> = {
    method: "GET",
    path,
    summary: summaries.list ?? `List the ${described.path}`,
    scope: rightOf(scope, "read"),
    query: {
      ...listed?.query,
      ...PAGE_QUERY,
      ...described.listQuery,
      ...(orders && { [orderName]: orderParam(orders) }),
    },
    responses: { 200: described.pageSchema ?? pageOf(schema), ...listed?.responses },
    handle: (call) => resource.list(call),
  };
  const create: HandledBy<C> = {
    method: "POST",
    path,
    summary: summaries.create ?? `Create ${article(noun)}`,
    scope: rightOf(scope, "write"),
    query: whole?.query,
    body: newFields(resource.description),
    requires: described.requires,
    form: described.forms?.create,
    responses: { 201: schema, ...whole?.responses },
    handle: (call) => resource.create(call),
  };
  return { list, create };
}

function routesOfOne<T extends Entity, V extends object, C extends AccountCall, S>(resource: Resource<T, V, C, S>) {
  const { noun, scope, schema, whole, forms, findQuery, summaries = {}, ...described } = resource.description;
  const path = `${described.path}/:id/`;
  const one = article(noun);
  const shown = { query: { ...findQuery, ...whole?.query }, responses: { 200: schema, ...whole?.responses } };
  const retrieve: HandledBy<C> = {
    ...shown,
    method: "GET",
    path,
    summary: summaries.retrieve ?? `Retrieve ${one}`,
    scope: rightOf(scope, "read"),
    handle: (call) => resource.retrieve(call),
  };
  const change: HandledBy<C> = {
    ...shown,
    method: "PATCH",
    path,
    summary: summaries.change ?? `Change ${one}; \`deleted\` hides it, and brings it back`,
    scope: rightOf(scope, "write"),
    body: changeFields(resource.description),
    form: forms?.change,
    handle: (call) => resource.patch(call),
  };
  const put: HandledBy<C> = {
    ...change,
    method: "PUT",
    summary: "The same as PATCH: what the body does not name stays",
  };
  const remove: HandledBy<C> = {
    method: "DELETE",
    path,
    summary: summaries.remove ?? `Delete ${one}`,
    scope: rightOf(scope, "write"),
    responses: { 204: null },
    handle: (call) => resource.remove(call),
  };
  return { retrieve, change, put, remove };
}

const rightOf = (scope: Description<never, never>["scope"], right: "read" | "write"): Scope | "*" =>
  scope === "*" ? scope : `${scope}:${right}`;

const article = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;

/** List, create, retrieve and PATCH. */
export function resourceRoutes<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
): HandledBy<C>[] {
  const { list, create, retrieve, change } = routesOf(resource);
  return [list, create, retrieve, change];
}

/** What was done to a record of an environment, and what others than admins may do with it. */
export function recordRoutes<T extends Entity & Controlled, V extends object, S>(
  resource: Resource<T, V, EnvironmentCall, S>,
): HandledBy<EnvironmentCall>[] {
  const { path, noun, log, controlled, nameOf } = resource.description;
  return [
    activityRoute({
      path: `${path}/:id/activity/`,
      summary: `What was done to ${article(noun)}, newest first`,
      async filter(call) {
        const { itemId } = resource.logItem(await resource.find(call, { deleted: true }));
        return { teamId: call.environment.id, scope: log, itemId };
      },
    }),
    ...(controlled === undefined
      ? []
      : accessRoutes(`${path}/:id/`, {
          resource: controlled,
          log,
          levels: OBJECT_LEVELS,
          defaultLevel: DEFAULT_LEVEL,
          async find(tx, call) {
            const found = await resource.findIn(tx, call);
            return { ...found, name: nameOf(found), ownLevel: accessLevel(call.caller, controlled, found) };
          },
        })),
  ];
}
