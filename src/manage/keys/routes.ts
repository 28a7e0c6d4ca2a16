import { revokePersonalApiKey, rollPersonalApiKey } from "../../metadata/mod.ts";
import { notFound, permissionDenied } from "../http/errors.ts";
import { empty, json } from "../http/reply.ts";
import { findIn, record } from "../resource/handle.ts";
import { changeRoute, createRoute, listRoute, retrieveRoute } from "../resource/routes.ts";
import { type AccountCall, accountRoutes, type Route } from "../serve/route.ts";
import { findOwn, KEY, KEYS } from "./resource.ts";

export const keyRoutes: Route[] = [
  ...accountRoutes([listRoute(KEYS), createRoute(KEYS)]),
  {
    ...accountRoutes([retrieveRoute(KEYS)])[0]!,
    confinement: "user",
    scope: [],
    handle: retrieve,
  },
  ...accountRoutes([
    changeRoute(KEYS),
    {
      method: "POST",
      path: "personal_api_keys/:id/roll/",
      summary: "Give a personal API key a new value, shown in this answer only; the old one ends at once",
      scope: "*",
      responses: { 200: KEYS.schema },
      handle: roll,
    },
    {
      method: "DELETE",
      path: "personal_api_keys/:id/",
      summary: "Revoke a personal API key",
      scope: "*",
      responses: { 204: null },
      handle: revoke,
    },
  ]),
];

async function retrieve(call: AccountCall): Promise<Response> {
  const { key: own } = call.caller;
  if (call.params.id === "@current" || call.params.id === own.id) return json(KEY.show(own, null));
  if (!own.scopes.includes("*") || own.scopedTeams.length > 0) {
    throw permissionDenied("This action does not support personal API key access");
  }
  return json(KEY.show(await call.deps.db.read((tx) => findOwn(tx, call)), null));
}

async function roll(call: AccountCall): Promise<Response> {
  const rolled = await call.deps.db.write(async (tx) => {
    const { id } = await findIn(KEYS, tx, call);
    const made = await rollPersonalApiKey(tx, id, call.deps.now());
    if (made === null) throw notFound();
    await record(tx, KEYS, call, made.key, "rolled");
    return { ...made.key, value: made.value };
  });
  return json(KEY.show(rolled, null));
}

async function revoke(call: AccountCall): Promise<Response> {
  await call.deps.db.write(async (tx) => {
    const key = await findIn(KEYS, tx, call);
    await revokePersonalApiKey(tx, key.id, call.deps.now());
    await record(tx, KEYS, call, key, "deleted");
  });
  return empty(204);
}
