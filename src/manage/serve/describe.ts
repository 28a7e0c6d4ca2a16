import { type TSchema, Type } from "@sinclair/typebox";
import {
  ERROR,
  media,
  type Operation,
  type Parameter,
  pathParameters,
  type Responses,
  type Shape,
} from "../../openapi/mod.ts";
import { bodySchema } from "../http/fields.ts";
import { GUARDED_QUERY, type QueryParameters, SHARED_LINK_QUERY } from "../http/query.ts";
import type { Route } from "./route.ts";

type GuardedRoute = Exclude<Route, { confinement: "open" }>;

/** Of every route; a route's own answer of a status comes before. */
const OPEN_ERRORS: Responses = { 400: ERROR, 500: ERROR, 503: ERROR };
const GUARDED_ERRORS: Responses = { ...OPEN_ERRORS, 401: ERROR, 403: ERROR, 404: ERROR, 429: ERROR };
const BODY_ERRORS: Responses = { 408: ERROR, 413: ERROR };

const CSV = media("text/csv", "The same with `format=csv`: nested members are columns named by their path.");

/** The query parameters that a request to the route may read. */
export function declaredQuery(route: Route): QueryParameters {
  if (route.confinement === "open") return route.query ?? {};
  const isShared = route.confinement === "environment" && route.handleShared !== undefined;
  return { ...route.query, ...GUARDED_QUERY, ...(isShared ? SHARED_LINK_QUERY : {}) };
}

/** A route of the management API as the document shows it. */
export function describe(route: Route): Operation {
  const path = route.path.replace(/:(\w+)/g, "{$1}");
  const security = securityOf(route);
  return {
    method: route.method,
    path,
    tag: tagOf(route),
    summary: route.summary,
    ...(route.confinement !== "open" && { description: rightsOf(route) }),
    security,
    parameters: [
      ...pathParameters(path).map((name) => pathParameter(path, name)),
      ...queryParameters(route),
      ...Object.entries(route.headers ?? {}).map(headerParameter),
    ],
    ...(route.body !== undefined && { body: bodyOf(route, route.body) }),
    responses: responsesOf(route),
  };
}

function securityOf(route: Route): Operation["security"] {
  if (route.confinement === "open") return [];
  const isShared = route.confinement === "environment" && route.handleShared !== undefined;
  return ["personalApiKey", "personalApiKeyInQuery", "session", ...(isShared ? (["sharingAccessToken"] as const) : [])];
}

function tagOf(route: Route): string {
  const segments = route.path.split("/").filter((part) => part !== "" && !part.startsWith(":"));
  if (segments[0] === "flags") return "feature_flag";
  if (segments[0] !== "api") return "service";
  return segments.slice(1).find((part) => !["projects", "environments"].includes(part)) ?? segments.at(-1)!;
}

function rightsOf({ scope, level }: GuardedRoute): string {
  const scopes = typeof scope === "string" ? [scope] : scope;
  const needed = scopes.length === 0 ? "Any key" : `Scope: ${scopes.map((name) => `\`${name}\``).join(" or ")}`;
  return level === undefined ? needed : `${needed}; level: \`${level}\``;
}

const CURRENT = "or `@current`";
const INTEGER_ID = Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 });
const UUID_ID = Type.String({ format: "uuid" });
/** What names an object of a resource, by the resource; text where nothing is said. */
const IDS: Record<string, { schema: TSchema; description: string }> = {
  projects: { schema: Type.String({ pattern: "^(@current|\\d{1,15})$" }), description: `An id, ${CURRENT}.` },
  environments: { schema: Type.String({ pattern: "^(@current|\\d{1,15})$" }), description: `An id, ${CURRENT}.` },
  organizations: { schema: Type.String(), description: `Its uuid, ${CURRENT}.` },
  sessions: { schema: Type.String({ minLength: 1 }), description: "The id of a session." },
  members: { schema: Type.String(), description: "The uuid of a member, or `@me`." },
  invites: { schema: UUID_ID, description: "The id of an invitation." },
  roles: { schema: UUID_ID, description: "The id of a role." },
  role_memberships: { schema: UUID_ID, description: "The id of a membership." },
  signup: { schema: Type.String({ minLength: 1 }), description: "The token of an invitation's link." },
  setup: { schema: Type.String({ minLength: 1 }), description: "The token of a one-time link." },
  users: { schema: Type.String(), description: "Your uuid, or `@me`." },
  personal_api_keys: { schema: Type.String(), description: "An id, or `@current`: the key that asks." },
  insights: { schema: INTEGER_ID, description: "An id." },
  dashboards: { schema: INTEGER_ID, description: "An id." },
  cohorts: { schema: INTEGER_ID, description: "An id." },
  actions: { schema: INTEGER_ID, description: "An id." },
  dead_letters: { schema: INTEGER_ID, description: "An id." },
  events: { schema: UUID_ID, description: "The uuid of an event." },
  persons: { schema: UUID_ID, description: "The uuid of a person." },
};

function pathParameter(path: string, name: string): Parameter {
  const parts = path.split("/");
  const resource = parts[parts.indexOf(`{${name}}`) - 1] ?? "";
  const known = IDS[resource] ?? { schema: Type.String({ minLength: 1 }), description: "An id." };
  return { name, in: "path", isRequired: true, ...known };
}

const headerParameter = ([name, description]: [string, string]): Parameter => {
  return { name, in: "header", description, schema: Type.String() };
};

function queryParameters(route: Route): Parameter[] {
  // The security schemes tell how a request names its caller.
  const { personal_api_key: _, sharing_access_token: __, ...shown } = declaredQuery(route);
  return Object.entries(shown).map(([name, { isPrefix, ...shown }]) => {
    if (isPrefix !== true) return { name, in: "query", ...shown };
    const members = Type.Object({}, { patternProperties: { [`^${name}`]: shown.schema }, additionalProperties: false });
    return { name, in: "query", description: shown.description, schema: members, isSpread: true };
  });
}

function bodyOf({ requires, form }: Route, fields: NonNullable<Route["body"]>): NonNullable<Operation["body"]> {
  return {
    isRequired: requires !== undefined,
    content: {
      "application/json": bodySchema(fields, requires),
      ...(form !== undefined && { "multipart/form-data": form }),
    },
  };
}

function responsesOf(route: Route): Responses {
  const ofBody = route.body === undefined ? {} : BODY_ERRORS;
  if (route.confinement === "open") return { ...OPEN_ERRORS, ...ofBody, ...route.responses };
  const own = Object.entries(route.responses).map(([status, shape]): [string, Shape] => [
    status,
    Number(status) < 300 ? withCsv(shape) : shape,
  ]);
  return { ...GUARDED_ERRORS, ...ofBody, ...Object.fromEntries(own) };
}

/** Every JSON answer has a form in CSV. */
function withCsv(shape: Shape): Shape {
  return shape === null ? null : [...[shape].flat(), CSV];
}
