import { Type } from "@sinclair/typebox";
import { endSession, endSessions, listSessions, type Session } from "../../metadata/mod.ts";
import { integer, nullable, object, TIME, text } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { notFound, permissionDenied } from "../http/errors.ts";
import { empty, json } from "../http/reply.ts";
import { pageRoute } from "../resource/pageRoute.ts";
import { shape } from "../resource/shape.ts";
import { recordOf } from "../serve/activity.ts";
import { type AccountCall, accountRoutes, type Route } from "../serve/route.ts";
import { hasLevel } from "../serve/userLevel.ts";

const SESSION = shape<Session & { isCurrent: boolean }>("Session", {
  id: text(),
  created_at: TIME,
  last_seen_at: TIME,
  expires_at: TIME,
  address: nullable(text("Of the client that logged in.")),
  user_agent: text(),
  is_current: Type.Boolean({ description: "Whether it is the one that asks." }),
});

/** The sessions of the caller's user. */
export const sessionRoutes: Route[] = accountRoutes([
  pageRoute({
    path: "users/:uuid/sessions/",
    summary: "List where you are logged in, the last seen first",
    scope: "*",
    item: SESSION,
    async read(call: AccountCall, page) {
      const o = { ...page, userId: ownId(call), nowMs: call.deps.now() };
      const { count, items } = await call.deps.db.read((tx) => listSessions(tx, o));
      return { count, items: items.map((one) => ({ ...one, isCurrent: one.id === call.caller.grant.id })) };
    },
  }),
  {
    method: "POST",
    path: "users/:uuid/sessions/end_others/",
    summary: "End all your sessions but the one that asks",
    scope: "*",
    responses: { 200: object("EndedSessions", { ended: integer() }) },
    handle: endOthers,
  },
  {
    method: "DELETE",
    path: "users/:uuid/sessions/:id/",
    summary: "End one of your sessions",
    scope: "*",
    responses: { 204: null },
    handle: endOne,
  },
]);

/** The id of the user that the path names. Throws ApiError 404 for another one than the caller. */
function ownId({ params: { uuid }, caller: { user } }: AccountCall): number {
  if (uuid !== "@me" && uuid !== user.uuid) throw notFound();
  return user.id;
}

/** A key below its user cannot end what may do more. Throws ApiError 403 for one, and 404. */
function idToEnd(call: AccountCall): number {
  const userId = ownId(call);
  const { grant, user } = call.caller;
  if (!hasLevel(grant, user.level)) throw permissionDenied("This key is below the level of the sessions.");
  return userId;
}

async function endOne(call: AccountCall): Promise<Response> {
  const userId = idToEnd(call);
  await call.deps.db.write(async (tx) => {
    if (!(await endSession(tx, { userId, id: call.params.id ?? "" }))) throw notFound();
    await record(tx, call);
  });
  return empty(204);
}

async function endOthers(call: AccountCall): Promise<Response> {
  const userId = idToEnd(call);
  const ended = await call.deps.db.write(async (tx) => {
    const ended = await endSessions(tx, { userId, exceptId: call.caller.grant.id });
    await record(tx, call);
    return ended;
  });
  return json({ ended });
}

function record(tx: Tx, call: AccountCall): Promise<void> {
  const { uuid: itemId, firstName: name } = call.caller.user;
  return recordOf(tx, call, { teamId: null, scope: "User", itemId, activity: "sessions ended", detail: { name } });
}
