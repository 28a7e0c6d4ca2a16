import { rollPersonalApiKey } from "../../metadata/mod.ts";
import { notFound, permissionDenied } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import { routesOf } from "../resource/routes.ts";
import { type AccountCall, accountRoutes, type Route } from "../serve/route.ts";
import { KEY, KEYS } from "./resource.ts";

const { list, create, retrieve, change, remove } = routesOf(KEYS);

export const keyRoutes: Route[] = [
  ...accountRoutes([list, create]),
  { ...accountRoutes([retrieve])[0]!, confinement: "user", scope: [], handle: retrieveKey },
  ...accountRoutes([
    change,
    {
      method: "POST",
      path: "personal_api_keys/:id/roll/",
      summary: "Give a personal API key a new value, shown in this answer only; the old one ends at once",
      scope: "*",
      responses: { 200: KEYS.description.schema },
      handle: roll,
    },
    remove,
  ]),
];

/** A key may look at itself; the others need all scopes. Nothing is the current key of a session. */
async function retrieveKey(call: AccountCall): Promise<Response> {
  const { grant: own } = call.caller;
  if (own.kind === "key" && (call.params.id === "@current" || call.params.id === own.id)) {
    return json(KEY.show(own.key, null));
  }
  if (!own.scopes.includes("*") || own.scopedTeams.length > 0) {
    throw permissionDenied("This action does not support personal API key access");
  }
  return KEYS.retrieve(call);
}

async function roll(call: AccountCall): Promise<Response> {
  const rolled = await call.deps.db.write(async (tx) => {
    const { id } = await KEYS.findToChange(tx, call);
    const made = await rollPersonalApiKey(tx, id, call.deps.now());
    if (made === null) throw notFound();
    await KEYS.record(tx, call, made.key, "rolled");
    return { ...made.key, value: made.value };
  });
  return json(KEY.show(rolled, null));
}
