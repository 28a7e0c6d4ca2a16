import { OBJECT_LEVELS } from "../../metadata/mod.ts";
import { orderParam } from "../http/order.ts";
import { PAGE_QUERY } from "../http/page.ts";
import { pageOf } from "../http/shapes.ts";
import { accessLevel, type Controlled } from "../serve/access.ts";
import { activityRoute } from "../serve/activity.ts";
import { DEFAULT_LEVEL } from "../serve/levels.ts";
import type { AccountCall, EnvironmentCall, HandledBy, Scope } from "../serve/route.ts";
import { accessRoutes } from "./accessRoutes.ts";
import type { Entity } from "./description.ts";
import { changeFields, newFields, type Resource } from "./resource.ts";

/** The routes that a kind of record can have; each works where its description has what it does. */
export function routesOf<T extends Entity, V extends object, C extends AccountCall, S>(resource: Resource<T, V, C, S>) {
  const { noun, path, scope, schema, orders, orderName = "order", ...kit } = resource.description;
  const { forms, show, whole, summaries = {}, ...described } = kit;
  const [read, write] = (["read", "write"] as const).map((right) =>
    scope === "*" ? scope : (`${scope}:${right}` as Scope),
  ) as [Scope | "*", Scope | "*"];
  const listed = show === undefined ? whole : undefined;
  const one = article(noun);
  const findQuery = { ...described.findQuery, ...whole?.query };
  const change: HandledBy<C> = {
    method: "PATCH",
    path: `${path}/:id/`,
    summary: summaries.change ?? `Change ${one}; \`deleted\` hides it, and brings it back`,
    scope: write,
    query: findQuery,
    body: changeFields(resource.description),
    form: forms?.change,
    responses: { 200: schema, ...whole?.responses },
    handle: (call) => resource.patch(call),
  };
  const list: HandledBy<C> = {
    method: "GET",
    path: `${path}/`,
    summary: summaries.list ?? `List the ${path}`,
    scope: read,
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
    path: `${path}/`,
    summary: summaries.create ?? `Create ${one}`,
    scope: write,
    query: whole?.query,
    body: newFields(resource.description),
    requires: described.requires,
    form: forms?.create,
    responses: { 201: schema, ...whole?.responses },
    handle: (call) => resource.create(call),
  };
  const retrieve: HandledBy<C> = {
    method: "GET",
    path: `${path}/:id/`,
    summary: summaries.retrieve ?? `Retrieve ${one}`,
    scope: read,
    query: findQuery,
    responses: { 200: schema, ...whole?.responses },
    handle: (call) => resource.retrieve(call),
  };
  const put: HandledBy<C> = {
    ...change,
    method: "PUT",
    summary: "The same as PATCH: what the body does not name stays",
  };
  const remove: HandledBy<C> = {
    method: "DELETE",
    path: `${path}/:id/`,
    summary: summaries.remove ?? `Delete ${one}`,
    scope: write,
    responses: { 204: null },
    handle: (call) => resource.remove(call),
  };
  return { list, create, retrieve, change, put, remove };
}

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
