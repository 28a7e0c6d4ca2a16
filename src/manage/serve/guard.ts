import {
  type Environment,
  findEnvironment,
  findPersonalApiKey,
  findProject,
  findUsers,
  LEVELS,
  type Level,
  type PersonalApiKey,
  type Project,
  touchPersonalApiKey,
} from "../../metadata/mod.ts";
import { describeError, type JsonObject } from "../../types/mod.ts";
import {
  ApiError,
  authenticationFailed,
  invalidField,
  keyNotLookedFor,
  noBearer,
  notAuthenticated,
  notFound,
  permissionDenied,
} from "../http/errors.ts";
import type { AccountCall, Caller, OpenCall, Route } from "./route.ts";
import { type Admitted, admitLink } from "./sharedLink.ts";

type GuardedRoute = Exclude<Route, { confinement: "open" }>;

/**
 * The one place that decides whether a request may reach its route:
 * is the caller known (401), does the project exist (404), may the key touch it (403), has it the scope and the level (403).
 */
export async function guard(route: GuardedRoute, open: OpenCall): Promise<Admitted> {
  const link = await admitLink(route, open);
  if (link !== null) return link;
  const call = { ...open, caller: await authenticate(open) };
  return { keyId: call.caller.key.id, handle: await admit(route, call) };
}

async function admit(route: GuardedRoute, call: AccountCall): Promise<() => Promise<Response>> {
  const { key } = call.caller;
  const allow = (caller = call.caller) => {
    requireScope(key, route.scope);
    if (route.level !== undefined) requireLevel(caller, route.level);
  };
  switch (route.confinement) {
    case "account":
      if (key.scopedTeams.length > 0) {
        throw permissionDenied("API keys with scoped projects are only supported on project-based endpoints.");
      }
      allow();
      return () => route.handle(call);
    case "user":
      allow();
      return () => route.handle(call);
    case "project": {
      const project = await projectOf(call);
      confine(key, project.id);
      allow();
      return () => route.handle({ ...call, project });
    }
    case "environment": {
      const environment = await environmentOf(route.environmentParam, call);
      const caller = enter(environment, call.caller);
      allow(caller);
      return () => route.handle({ ...call, caller, environment });
    }
  }
}

const PROJECT_KEY = " A project API key sends events; this takes a personal one, which `weir keys create` makes.";
const BEARER = /^Bearer\s+(\S.+)$/;

/** The key in the header of a request; null for a header of another kind, and for none. */
export function bearerOf(request: Request): string | null {
  return BEARER.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * The caller; throws ApiError 401. The first key that is found counts: after a wrong one in the header, body and query are
 * not looked at.
 */
export async function authenticate(call: OpenCall): Promise<Caller> {
  const candidate = await findCandidate(call);
  if (candidate === null) throw call.request.headers.has("authorization") ? noBearer() : notAuthenticated();
  const { db } = call.deps;
  const caller = await db.read(async (tx) => {
    const key = await findPersonalApiKey(tx, candidate.value);
    const user = key === null ? undefined : (await findUsers(tx, [key.userId])).get(key.userId);
    return key === null || user === undefined ? null : { key, user, level: key.level };
  });
  if (caller === null)
    throw authenticationFailed(candidate.place, candidate.value.startsWith("phc_") ? PROJECT_KEY : "");
  // A store that cannot write (a full disk) is no reason to refuse a reader.
  await touchPersonalApiKey(db, caller.key, call.deps.now()).catch((error) => {
    call.deps.log(`the use of key ${caller.key.id} was not noted: ${describeError(error)}`);
  });
  return caller;
}

async function findCandidate(call: OpenCall): Promise<{ value: string; place: string } | null> {
  const header = bearerOf(call.request);
  if (header !== null) return { value: header, place: "Authorization header" };
  const body = await unknownBody(call);
  if (typeof body.personal_api_key === "string") return { value: body.personal_api_key, place: "body" };
  const query = call.query.get("personal_api_key");
  return query === null ? null : { value: query, place: "query string" };
}

/** The body of a caller that is not known yet: only a little of it is read. Throws ApiError 401 for a larger one. */
async function unknownBody(call: OpenCall): Promise<JsonObject> {
  const maxBytes = Math.min(call.deps.config.uncheckedBodyMaxBytes, call.deps.config.manageBodyMaxBytes);
  try {
    return await call.body({ maxBytes });
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) throw keyNotLookedFor(maxBytes);
    // A body that cannot be read holds no key; what is wrong with it is for the route to say.
    return {};
  }
}

/** A positive integer id, or null. */
export function readId(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** What `@current` means to this caller: of a key that is limited to some projects the first of those. */
export function currentEnvironmentId({ key, user }: Caller): number | null {
  return key.scopedTeams[0] ?? user.currentEnvironmentId;
}

function projectParam({ caller }: AccountCall, text: string | undefined): number | null {
  return text === "@current" ? currentEnvironmentId(caller) : readId(text);
}

async function projectOf(call: AccountCall): Promise<Project> {
  const id = projectParam(call, call.params.project_id);
  const project = id === null ? null : await call.deps.db.read((tx) => findProject(tx, id));
  if (project === null) throw notFound("Project not found.");
  return project;
}

async function environmentOf(param: "project_id" | "id", call: AccountCall): Promise<Environment> {
  const id = projectParam(call, call.params[param]);
  if (param === "id") {
    const project = await projectOf(call);
    if (id === null) throw invalidField(null, "invalid_input", "The id of an environment must be an integer.");
    const environment = await readEnvironment(call, id);
    // The key first: a caller that may not see the project learns nothing of what is in it.
    confine(call.caller.key, environment?.id ?? project.id);
    if (environment === null || environment.projectId !== project.id) throw notFound();
    return environment;
  }
  const environment = id === null ? null : await readEnvironment(call, id);
  if (environment === null) throw notFound("Project not found.");
  return environment;
}

function readEnvironment(call: AccountCall, id: number): Promise<Environment | null> {
  return call.deps.db.read((tx) => findEnvironment(tx, id));
}

/** What a caller is in an environment. Throws ApiError 403 for a key limited to others, and for what is closed to it. */
export function enter(environment: Environment, caller: Caller): Caller {
  confine(caller.key, environment.id);
  if (!canSee(caller, environment)) throw permissionDenied("You don't have access to the project.");
  const { access } = environment;
  return !hasLevel(caller, "admin") && access?.level === "admin" ? { ...caller, level: "admin" } : caller;
}

/** Whether a caller may know of an environment. */
export function canSee(caller: Caller, { id, access }: Environment): boolean {
  return canReach(caller.key, id) && (hasLevel(caller, "admin") || access?.level !== "none");
}

/** Whether the key is not limited to other environments. */
function canReach(key: PersonalApiKey, environmentId: number): boolean {
  return key.scopedTeams.length === 0 || key.scopedTeams.includes(environmentId);
}

/** Throws ApiError 403 where it is. */
export function confine(key: PersonalApiKey, environmentId: number): void {
  if (canReach(key, environmentId)) return;
  throw permissionDenied(`API key does not have access to the requested project: ID ${environmentId}.`);
}

function requireScope(key: PersonalApiKey, scope: GuardedRoute["scope"]): void {
  const wanted: readonly string[] = typeof scope === "string" ? [scope] : scope;
  if (wanted.length === 0 || key.scopes.includes("*")) return;
  const satisfies = (held: string) => wanted.includes(held) || wanted.includes(held.replace(/:write$/, ":read"));
  if (key.scopes.some(satisfies)) return;
  throw permissionDenied(`API key missing required scope ${wanted.map((name) => `'${name}'`).join(" or ")}`);
}

/** Whether a key, or its user, has at least this level. */
export function hasLevel(of: { level: Level }, level: Level): boolean {
  return LEVELS.indexOf(of.level) >= LEVELS.indexOf(level);
}

/** Throws ApiError 403 for a caller below it. */
export function requireLevel(caller: Caller, level: Level): void {
  if (!hasLevel(caller, level)) throw permissionDenied("You don't have sufficient permissions in the project.");
}
