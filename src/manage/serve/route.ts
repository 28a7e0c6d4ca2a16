import type { TSchema } from "@sinclair/typebox";
import type {
  Environment,
  EnvironmentLevel,
  Level,
  Nameable,
  PersonalApiKey,
  Project,
  Session,
  User,
} from "../../metadata/mod.ts";
import type { Method, Responses } from "../../openapi/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Fields } from "../http/fields.ts";
import type { Query, QueryParameters } from "../http/query.ts";
import type { ManageDeps } from "./deps.ts";
import type { ObjectLevels, SetLevels } from "./levels.ts";

export const SCOPE_OBJECTS = [
  "insight",
  "sharing_configuration",
  "activity_log",
  "project",
  "query",
  "organization",
  "organization_member",
  "user",
  "batch_export",
  "batch_import",
  "access_control",
  "dashboard",
  "person",
  "cohort",
  "action",
  "event_definition",
  "property_definition",
  "annotation",
  "alert",
  "subscription",
  "group",
  "feature_flag",
  "survey",
  "experiment",
  "error_tracking",
  "early_access_feature",
  "session_recording",
] as const;
export type Scope = `${(typeof SCOPE_OBJECTS)[number]}:${"read" | "write"}`;

/** What a key or a session allows. */
interface Rights {
  id: string;
  scopes: readonly string[];
  /** Environments that it is limited to; empty: every project. */
  scopedTeams: readonly number[];
  level: Level;
}

/** By what a request is allowed: a personal API key, or the session of a browser, which has all rights of its user. */
export type Grant = Rights & ({ kind: "key"; key: PersonalApiKey } | { kind: "session"; session: Session });

/** The user that asks, and by what. */
export interface Caller {
  grant: Grant;
  user: User;
  /** What may be done here: the level of the grant, or what the environment gives to those below an admin's. */
  level: Level;
  /** The levels of environments that apply to it, by id; none for an admin. */
  environments: ReadonlyMap<number, SetLevels<EnvironmentLevel>>;
  /** The levels of objects that apply to it in the environment of the request. */
  objects: ObjectLevels;
  /** What its questions may name. */
  nameable: Nameable;
}

/** One request to a route, before its caller is known. */
export interface OpenCall {
  deps: ManageDeps;
  request: Request;
  /** What links in the answer are made of: the address as the client sees it, without keys. */
  url: URL;
  params: Record<string, string>;
  /** The query string, as far as the route declares it. */
  query: Query;
  /** The time of the request, epoch milliseconds. */
  nowMs: number;
  /** Whether a test set that time. */
  hasTestClock: boolean;
  /** The address of the client; null where it is not known. */
  address(): string | null;
  /** The JSON body, read once, up to a bound: that of the API, or a smaller one. Throws ApiError 400, 408 or 413. */
  body(o?: { maxBytes: number }): Promise<JsonObject>;
  /** The same as it was sent, for what must be kept to the letter. */
  bodyText(): Promise<string>;
}

export interface AccountCall extends OpenCall {
  caller: Caller;
}

export interface ProjectCall extends AccountCall {
  project: Project;
}

export interface EnvironmentCall extends AccountCall {
  environment: Environment;
}

/** A request with the link to a shared insight instead of a key. */
export interface SharedCall extends OpenCall {
  environment: Environment;
  /** Asks in the name of all members. */
  caller: { nameable: Nameable };
  insightId: number;
}

interface RouteBase {
  method: Method;
  /** With a trailing slash (optional to clients) and `:name` parameters. */
  path: string;
  summary: string;
  /** The parameters of the query string that it reads; no other can be read. */
  query?: QueryParameters;
  /** Headers of its own that it reads, and what they say. */
  headers?: Readonly<Record<string, string>>;
  /** Documented members of the body. */
  body?: Fields;
  /** Those without which it is refused. */
  requires?: readonly string[];
  /** The body where it comes as a form. */
  form?: TSchema;
  /** What it answers, by status; the errors that all routes have are added. */
  responses: Responses;
  /** Why a route that is no GET leaves nothing in the activity log; every other one records what it did. */
  unlogged?: string;
}

interface Guarded extends RouteBase {
  /** What the grant must allow: any one of a list; nothing where the list is empty; `*`: every scope. */
  scope: Scope | "*" | readonly Scope[];
  /** The lowest level that may do it; any when absent. */
  level?: Level;
}

/**
 * A row of the route table. `confinement` says which project a request is about, and with it which keys may ask (a session may, wherever
 * a key of all scopes that is limited to nothing may):
 * - open: no key at all;
 * - account: about no single project, so refused to keys that are limited to some;
 * - user: about the caller alone, so open to those keys too;
 * - project: `:project_id` names a project;
 * - environment: the parameter `environmentParam` names an environment (of the project, where that is named too).
 */
export type Route =
  | (RouteBase & {
      confinement: "open";
      /** The parameter that is the token of a shared link: requests are limited by it. */
      linkParam?: string;
      /** How many times as often as others such a request may come with one link, and from one address; 1 where absent. */
      linkTimes?: (query: Query) => number;
      handle(call: OpenCall): Promise<Response>;
    })
  | (Guarded & { confinement: "account" | "user"; handle(call: AccountCall): Promise<Response> })
  | (Guarded & { confinement: "project"; handle(call: ProjectCall): Promise<Response> })
  | (Guarded & {
      confinement: "environment";
      environmentParam: "project_id" | "id";
      handle(call: EnvironmentCall): Promise<Response>;
      /** Answers requests with `sharing_access_token` instead of a key; they are refused where absent. */
      handleShared?(call: SharedCall): Promise<Response>;
    });

/** Whether there is anything that the route does; one that only refuses is not offered to clients. */
export function isOffered({ responses }: Route): boolean {
  return Object.keys(responses).some((status) => Number(status) < 400);
}

/** A route whose place in the table is not said yet. `path` is relative, e.g. "insights/:id/". */
export interface HandledBy<C extends AccountCall> extends Guarded {
  handle(call: C): Promise<Response>;
}
type EnvironmentRoute = HandledBy<EnvironmentCall> &
  Pick<Extract<Route, { confinement: "environment" }>, "handleShared">;

/** Routes of a resource of an environment, under both of its names. */
export function environmentRoutes(routes: readonly EnvironmentRoute[]): Route[] {
  return ["environments", "projects"].flatMap((prefix) =>
    routes.map((route) => ({
      ...route,
      path: `/api/${prefix}/:project_id/${route.path}`,
      confinement: "environment" as const,
      environmentParam: "project_id" as const,
    })),
  );
}

/** Routes of a resource that belongs to no project. */
export function accountRoutes(routes: readonly HandledBy<AccountCall>[]): Route[] {
  return routes.map((route) => ({ ...route, path: `/api/${route.path}`, confinement: "account" as const }));
}
