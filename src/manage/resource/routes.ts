import { orderParam } from "../http/order.ts";
import { PAGE_QUERY } from "../http/page.ts";
import { ACTIVITY_PAGE, pageOf } from "../http/shapes.ts";
import { ACTIVITY_QUERY } from "../serve/activity.ts";
import type { AccountCall, EnvironmentCall, HandledBy, Scope } from "../serve/route.ts";
import { objectAccessRoutes } from "./accessRoutes.ts";
import { activity, changeFields, create, list, newFields, patch, retrieve } from "./handle.ts";
import type { Entity, Resource } from "./resource.ts";

const scopeOf = ({ scope }: { scope: string }, right: "read" | "write") =>
  (scope === "*" ? scope : `${scope}:${right}`) as Scope | "*";

const article = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;

/** List, create, retrieve and PATCH. A resource that has more replaces one by its path, or adds to them. */
export function resourceRoutes<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
): HandledBy<C>[] {
  return [listRoute(resource), createRoute(resource), retrieveRoute(resource), changeRoute(resource)];
}

export function listRoute<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
): HandledBy<C> {
  const { path, orders, listQuery, summaries, show, whole, pageSchema = pageOf(resource.schema) } = resource;
  const showing = show === undefined ? whole : undefined;
  return {
    method: "GET",
    path: `${path}/`,
    summary: summaries?.list ?? `List the ${path}`,
    scope: scopeOf(resource, "read"),
    query: {
      ...showing?.query,
      ...PAGE_QUERY,
      ...listQuery,
      ...(orders && { order: orderParam(orders.columns) }),
    },
    responses: { 200: pageSchema, ...showing?.responses },
    handle: (call) => list(resource, call),
  };
}

export function createRoute<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
): HandledBy<C> {
  const { path, noun, summaries, requires, forms, schema, whole } = resource;
  return {
    method: "POST",
    path: `${path}/`,
    summary: summaries?.create ?? `Create ${article(noun)}`,
    scope: scopeOf(resource, "write"),
    query: whole?.query,
    body: newFields(resource),
    requires,
    form: forms?.create,
    responses: { 201: schema, ...whole?.responses },
    handle: (call) => create(resource, call),
  };
}

export function retrieveRoute<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
): HandledBy<C> {
  const { path, noun, summaries, findQuery, schema, whole } = resource;
  return {
    method: "GET",
    path: `${path}/:id/`,
    summary: summaries?.retrieve ?? `Retrieve ${article(noun)}`,
    scope: scopeOf(resource, "read"),
    query: { ...findQuery, ...whole?.query },
    responses: { 200: schema, ...whole?.responses },
    handle: (call) => retrieve(resource, call),
  };
}

/** `deleted` hides a record, and brings it back. */
export function changeRoute<T extends Entity, V extends object, C extends AccountCall, S>(
  resource: Resource<T, V, C, S>,
  method: "PATCH" | "PUT" = "PATCH",
): HandledBy<C> {
  const { path, noun, summaries, findQuery, forms, schema, whole } = resource;
  const change = summaries?.change ?? `Change ${article(noun)}; \`deleted\` hides it, and brings it back`;
  return {
    method,
    path: `${path}/:id/`,
    summary: method === "PATCH" ? change : "The same as PATCH: what the body does not name stays",
    scope: scopeOf(resource, "write"),
    query: { ...findQuery, ...whole?.query },
    body: changeFields(resource),
    form: forms?.change,
    responses: { 200: schema, ...whole?.responses },
    handle: (call) => patch(resource, call),
  };
}

/** What was done to a record, and what others than admins may do with it. */
export function recordRoutes<T extends Entity & { id: number }, V extends object, S>(
  resource: Resource<T, V, EnvironmentCall, S>,
): HandledBy<EnvironmentCall>[] {
  const { path, noun } = resource;
  return [
    {
      method: "GET",
      path: `${path}/:id/activity/`,
      summary: `What was done to ${article(noun)}, newest first`,
      scope: "activity_log:read",
      query: ACTIVITY_QUERY,
      responses: { 200: ACTIVITY_PAGE },
      handle: (call) => activity(resource, call),
    },
    ...objectAccessRoutes(resource),
  ];
}
