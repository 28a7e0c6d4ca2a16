import { ALL_NAMEABLE, findPersonalApiKey, findUsers, touchPersonalApiKey } from "../../metadata/mod.ts";
import { describeError, type JsonObject, requestIdOf } from "../../types/mod.ts";
import {
  ApiError,
  authenticationFailed,
  keyNotLookedFor,
  noBearer,
  notAuthenticated,
  sessionOver,
} from "../http/errors.ts";
import { environmentsOf } from "./access.ts";
import { endedCookie, sessionTokenOf } from "./cookies.ts";
import { requireOwnPage } from "./csrf.ts";
import { ObjectLevels } from "./levels.ts";
import type { Caller, OpenCall } from "./route.ts";
import { callerOfSession } from "./session.ts";
import { lowerLevel } from "./userLevel.ts";

const PROJECT_KEY = " A project API key sends events; this takes a personal one, which `weir keys create` makes.";
const BEARER = /^Bearer\s+(\S.+)$/;

/** The key in the header of a request; null for a header of another kind, and for none. */
export function bearerOf(request: Request): string | null {
  return BEARER.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * The caller; throws ApiError 401, and 403 for a session whose request another page may have made. The first key that is found
 * counts: after a wrong one in the header, body and query are not looked at. A session counts where there is no key and no
 * `Authorization` at all.
 */
export async function authenticate(call: OpenCall): Promise<Caller> {
  const header = bearerOf(call.request);
  if (header !== null) return callerOfKey(call, { value: header, place: "Authorization header" });
  const hasHeader = call.request.headers.has("authorization");
  const token = hasHeader ? null : sessionTokenOf(call);
  const caller = token === null ? null : await callerOfSession(call, token);
  const key = await keyInside(call, caller !== null);
  if (key !== null) return callerOfKey(call, key);
  if (hasHeader) throw noBearer();
  if (token === null) throw notAuthenticated();
  if (caller === null) throw sessionOver(endedCookie(call));
  requireOwnPage(call, token);
  return caller;
}

interface Candidate {
  value: string;
  /** Where it was found, e.g. "body". */
  place: string;
}

async function callerOfKey(call: OpenCall, { value, place }: Candidate): Promise<Caller> {
  const { db } = call.deps;
  const found = await db.read(async (tx) => {
    const key = await findPersonalApiKey(tx, value);
    const user = key === null ? undefined : (await findUsers(tx, [key.userId])).get(key.userId);
    if (key === null || user === undefined || user.isRemoved) return null;
    // A key does no more than its user may now.
    const level = lowerLevel(key.level, user.level);
    return { key, user, level, environments: await environmentsOf(tx, user, level) };
  });
  if (found === null) throw authenticationFailed(place, value.startsWith("phc_") ? PROJECT_KEY : "");
  const { key, user, level, environments } = found;
  // A store that cannot write (a full disk) is no reason to refuse a reader.
  await touchPersonalApiKey(db, key, call.deps.now()).catch((error) => {
    call.deps.log(`the use of key ${key.id} was not noted: ${describeError(error)}`, requestIdOf(call.request));
  });
  const { id, scopes, scopedTeams } = key;
  const grant = { kind: "key", key, id, scopes, scopedTeams, level } as const;
  return { grant, user, level, environments, objects: new ObjectLevels(), nameable: ALL_NAMEABLE };
}

/** A key that is not in the header. */
async function keyInside(call: OpenCall, isKnown: boolean): Promise<Candidate | null> {
  const body = isKnown ? await bodyOf(call) : await unknownBody(call);
  if (typeof body.personal_api_key === "string") return { value: body.personal_api_key, place: "body" };
  const query = call.query.get("personal_api_key");
  return query === null ? null : { value: query, place: "query string" };
}

/** A body that cannot be read holds no key; what is wrong with it is for the route to say. */
const bodyOf = (call: OpenCall): Promise<JsonObject> => call.body().catch(() => ({}));

/** The body of a caller that is not known yet: only a little of it is read. Throws ApiError 401 for a larger one, 408 for a slow one. */
async function unknownBody(call: OpenCall): Promise<JsonObject> {
  const maxBytes = Math.min(call.deps.config.uncheckedBodyMaxBytes, call.deps.config.manageBodyMaxBytes);
  try {
    return await call.body({ maxBytes });
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) throw keyNotLookedFor(maxBytes);
    if (error instanceof ApiError && error.status === 408) throw error;
    return {};
  }
}
