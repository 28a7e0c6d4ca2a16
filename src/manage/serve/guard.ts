import {
  ALL_NAMEABLE,
  type Environment,
  findEnvironment,
  findProject,
  findUsers,
  type Level,
  objectAccessOf,
  type Project,
} from "../../metadata/mod.ts";
import type { Db, Tx } from "../../store/mod.ts";
import { invalidField, notAuthenticated, notFound, permissionDenied } from "../http/errors.ts";
import { environmentsOf, levelIn, nameableBy } from "./access.ts";
import { authenticate } from "./authenticate.ts";
import { ObjectLevels } from "./levels.ts";
import type { AccountCall, Caller, Grant, OpenCall, Route } from "./route.ts";
import { type Admitted, admitLink } from "./sharedLink.ts";
import { hasLevel, lowerLevel } from "./userLevel.ts";

type GuardedRoute = Exclude<Route, { confinement: "open" }>;

/**
 * The one place that decides whether a request may reach its route:
 * is the caller known (401) and no page of another origin (403), does the project exist (404), may the key touch it (403), has it
 * the scope and the level (403).
 */
export async function guard(route: GuardedRoute, open: OpenCall): Promise<Admitted> {
  const link = await admitLink(route, open);
  if (link !== null) return link;
  const call = { ...open, caller: await authenticate(open) };
  const { kind, id } = call.caller.grant;
  return { keyId: kind === "key" ? id : null, handle: await admit(route, call) };
}

async function admit(route: GuardedRoute, call: AccountCall): Promise<() => Promise<Response>> {
  const { grant } = call.caller;
  const allow = (caller = call.caller) => {
    requireScope(grant, route.scope);
    if (route.level !== undefined) requireLevel(caller, route.level);
  };
  switch (route.confinement) {
    case "account":
      if (grant.scopedTeams.length > 0) {
        throw permissionDenied("API keys with scoped projects are only supported on project-based endpoints.");
      }
      allow();
      return () => route.handle(call);
    case "user":
      allow();
      return () => route.handle(call);
    case "project": {
      const project = await projectOf(call);
      confine(grant, project.id);
      allow();
      return () => route.handle({ ...call, project });
    }
    case "environment": {
      const environment = await environmentOf(route.environmentParam, call);
      const caller = await enter(call.deps.db, environment, call.caller);
      allow(caller);
      return () => route.handle({ ...call, caller, environment });
    }
  }
}

/** A positive integer id, or null. */
export function readId(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** What `@current` means to this caller: of a key that is limited to some projects the first of those. */
export function currentEnvironmentId({ grant, user }: Caller): number | null {
  return grant.scopedTeams[0] ?? user.currentEnvironmentId;
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
    confine(call.caller.grant, environment?.id ?? project.id);
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
export async function enter(db: Pick<Db, "read">, environment: Environment, caller: Caller): Promise<Caller> {
  const { id } = environment;
  confine(caller.grant, id);
  if (!canSee(caller, environment)) throw permissionDenied("You don't have access to the project.");
  const level = memberLevel(caller, environment);
  if (hasLevel({ level }, "admin")) return { ...caller, level, objects: new ObjectLevels(), nameable: ALL_NAMEABLE };
  const controls = await db.read((tx) => objectAccessOf(tx, { teamId: id, userId: caller.user.id }));
  const objects = new ObjectLevels(controls);
  return { ...caller, level, objects, nameable: nameableBy(objects, caller.user.id) };
}

/**
 * The call with what its caller may do now, read in the transaction that changes something: the levels of the caller, of the
 * environment and of its objects may have changed since the request came. Throws ApiError 401 for a member that was removed, and 403.
 */
export async function renewed<C extends AccountCall>(tx: Tx, call: C & { environment?: Environment }): Promise<C> {
  const { caller, environment } = call;
  const user = (await findUsers(tx, [caller.user.id])).get(caller.user.id);
  if (user === undefined || user.isRemoved) throw notAuthenticated();
  const grant = { ...caller.grant, level: lowerLevel(caller.grant.level, user.level) };
  const own = { ...caller, user, grant, level: grant.level, environments: await environmentsOf(tx, user, grant.level) };
  return {
    ...call,
    caller: environment === undefined ? own : await enter({ read: (body) => body(tx) }, environment, own),
  };
}

/** The level that a caller has in an environment. */
export function memberLevel(caller: Caller, { id }: Environment): Level {
  return !hasLevel(caller.grant, "admin") && levelIn(caller, id) === "admin" ? "admin" : caller.grant.level;
}

/** Whether a caller may know of an environment. */
export function canSee(caller: Caller, { id }: Environment): boolean {
  return canReach(caller.grant, id) && levelIn(caller, id) !== "none";
}

/** Whether the grant is not limited to other environments. */
function canReach({ scopedTeams }: Grant, environmentId: number): boolean {
  return scopedTeams.length === 0 || scopedTeams.includes(environmentId);
}

/** Throws ApiError 403 where it is. */
export function confine(grant: Grant, environmentId: number): void {
  if (canReach(grant, environmentId)) return;
  throw permissionDenied(`API key does not have access to the requested project: ID ${environmentId}.`);
}

function requireScope(grant: Grant, scope: GuardedRoute["scope"]): void {
  const wanted: readonly string[] = typeof scope === "string" ? [scope] : scope;
  if (wanted.length === 0 || wanted.some((one) => hasScope(grant, one))) return;
  throw permissionDenied(`API key missing required scope ${wanted.map((name) => `'${name}'`).join(" or ")}`);
}

/** Whether a grant has a scope: as such, by writing where reading is asked for, or all of them. */
export function hasScope({ scopes }: Grant, scope: string): boolean {
  const isIt = (held: string) => held === scope || held.replace(/:write$/, ":read") === scope;
  return scopes.includes("*") || scopes.some(isIt);
}

/** Throws ApiError 403 for a caller below it. */
export function requireLevel(caller: Caller, level: Level): void {
  if (!hasLevel(caller, level)) throw permissionDenied("You don't have sufficient permissions in the project.");
}
