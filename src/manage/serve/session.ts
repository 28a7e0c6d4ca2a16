import {
  ALL_NAMEABLE,
  createSession,
  endSession,
  findSession,
  findUsers,
  recordActivity,
  type Session,
  touchSession,
  type User,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { describeError, requestIdOf } from "../../types/mod.ts";
import { environmentsOf } from "./access.ts";
import { sessionTokenOf } from "./cookies.ts";
import { hostNameOf } from "./host.ts";
import { ObjectLevels } from "./levels.ts";
import type { AccountCall, Caller, Grant, OpenCall } from "./route.ts";

const AGENT_MAX_UNITS = 512;

/** The user of a session that is not over and was made on this host; null where there is none. */
export async function callerOfSession(call: OpenCall, token: string): Promise<Caller | null> {
  const { db } = call.deps;
  const nowMs = call.deps.now();
  const found = await db.read(async (tx) => {
    const session = await findSession(tx, token, nowMs);
    const user = session === null ? undefined : (await findUsers(tx, [session.userId])).get(session.userId);
    if (session === null || user === undefined || user.isRemoved) return null;
    return { session, caller: await callerOf(tx, user, session) };
  });
  if (found === null || found.session.host !== hostNameOf(call)) return null;
  const { session, caller } = found;
  // A store that cannot write (a full disk) is no reason to refuse a reader.
  await touchSession(db, session, nowMs).catch((error) => {
    call.deps.log(`the use of session ${session.id} was not noted: ${describeError(error)}`, requestIdOf(call.request));
  });
  return caller;
}

/** A session may do what its user may. */
async function callerOf(tx: Tx, user: User, session: Session): Promise<Caller> {
  const { level } = user;
  const grant: Grant = { kind: "session", session, id: session.id, scopes: ["*"], scopedTeams: [], level };
  return {
    grant,
    user,
    level,
    environments: await environmentsOf(tx, user, level),
    objects: new ObjectLevels(),
    nameable: ALL_NAMEABLE,
  };
}

/**
 * Logs a user in: a new session, never one that the request has named. The one of this browser ends. Gives its token for the
 * cookie.
 */
export async function openSession(tx: Tx, call: OpenCall, user: User): Promise<{ caller: Caller; token: string }> {
  const nowMs = call.deps.now();
  const former = sessionTokenOf(call);
  const left = former === null ? null : await findSession(tx, former, nowMs);
  if (left !== null) await endSession(tx, left);
  const { session, token } = await createSession(tx, {
    userId: user.id,
    host: hostNameOf(call),
    address: call.address(),
    userAgent: (call.request.headers.get("user-agent") ?? "").slice(0, AGENT_MAX_UNITS),
    nowMs,
  });
  const caller = await callerOf(tx, user, session);
  await recordSession(tx, { ...call, caller }, "logged_in");
  return { caller, token };
}

/** Notes in the activity log, under PostHog's names, that a user came or left. */
export function recordSession(tx: Tx, call: AccountCall, activity: "logged_in" | "logged_out"): Promise<void> {
  const { id: userId, uuid: itemId, organizationId, email: name } = call.caller.user;
  const place = { teamId: null, organizationId, scope: "User", itemId } as const;
  return recordActivity(tx, { ...place, userId, activity, detail: { name }, atMs: call.deps.now() });
}
