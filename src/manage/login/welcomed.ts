import { ApiError } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import { withSession } from "../serve/cookies.ts";
import type { Caller, OpenCall } from "../serve/route.ts";
import { readUserBody } from "../users/routes.ts";

/** Of a body that names a user; more of it is not read. */
export const BODY_MAX_BYTES = 16 * 1024;

/** The answer to a link that does not work any more; pages know it by its code. */
export const linkNotFound = (detail: string) => new ApiError(404, "invalid_request", "link_not_found", detail);

/** The answer to a user that has just logged in: itself, and the cookies of its session. */
export async function welcomed(call: OpenCall, opened: { caller: Caller; token: string }): Promise<Response> {
  const { caller, token } = opened;
  const body = await call.deps.db.read((tx) => readUserBody(tx, { ...call, caller }, caller.user));
  return withSession(call, token, await json(body));
}
