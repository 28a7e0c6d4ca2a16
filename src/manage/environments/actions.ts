import {
  changesBetween,
  ENVIRONMENT_LEVELS,
  newProjectToken,
  noteProductIntent,
  setEnvironmentToken,
} from "../../metadata/mod.ts";
import { ERROR } from "../../openapi/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { type FieldValues, nullable, readFields, required, text } from "../http/fields.ts";
import { empty, json } from "../http/reply.ts";
import { accessRoutes } from "../resource/accessRoutes.ts";
import { levelIn } from "../serve/access.ts";
import { activityRoute } from "../serve/activity.ts";
import { DEFAULT_ENVIRONMENT_LEVEL } from "../serve/levels.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { KIND_ACCESS } from "./kindAccess.ts";
import { ENVIRONMENTS } from "./resource.ts";
import { DEMO_STATE, ENVIRONMENT, ONBOARDING_ERROR, PRODUCT_INTENT } from "./shape.ts";

const INTENT_FIELDS = {
  product_type: text({ maxLength: 255 }),
  intent_context: nullable(text({ maxLength: 1000, blank: true })),
};

/** What can be done with an environment beside reading, changing and deleting it. Paths follow that of the environment. */
export const ENVIRONMENT_ACTIONS: HandledBy<EnvironmentCall>[] = [
  activityRoute({
    path: "activity/",
    summary: "Who changed the environment, newest first",
    scope: "project:read",
    filter: ({ environment: { id: teamId } }) => ({ teamId, scope: "Team", itemId: String(teamId) }),
  }),
  {
    method: "PATCH",
    path: "add_product_intent/",
    summary: "Note that a product is going to be used",
    scope: "project:write",
    requires: ["product_type"],
    responses: { 200: null },
    body: INTENT_FIELDS,
    handle: addProductIntent,
  },
  {
    method: "PATCH",
    path: "complete_product_onboarding/",
    summary: "Note that the onboarding of a product is done",
    scope: "project:write",
    requires: ["product_type"],
    responses: { 200: null, 400: [ERROR, ONBOARDING_ERROR] },
    body: INTENT_FIELDS,
    handle: completeProductOnboarding,
  },
  {
    method: "GET",
    path: "is_generating_demo_data/",
    summary: "Whether `weir demo` is making events for the environment",
    scope: "project:read",
    responses: { 200: DEMO_STATE },
    handle: isGeneratingDemoData,
  },
  {
    method: "PATCH",
    path: "reset_token/",
    summary: "Give the environment a new project key; the old one ends within seconds",
    scope: "project:write",
    responses: { 200: ENVIRONMENT.schema },
    level: "admin",
    handle: resetToken,
  },
  ...accessRoutes("", {
    resource: "project",
    log: "Team",
    levels: ENVIRONMENT_LEVELS,
    defaultLevel: DEFAULT_ENVIRONMENT_LEVEL,
    find: async (_tx, { environment, caller }) => ({ ...environment, ownLevel: levelIn(caller, environment.id) }),
  }),
  ...KIND_ACCESS,
];

async function addProductIntent(call: EnvironmentCall): Promise<Response> {
  const values = readFields(INTENT_FIELDS, await call.body());
  await noteIntent(call, { ...values, product_type: required("product_type", values.product_type) }, false);
  return empty(200);
}

async function completeProductOnboarding(call: EnvironmentCall): Promise<Response> {
  const body = await call.body();
  // Not in the form of the other errors, because clients know this one so.
  if (body.product_type === undefined || body.product_type === null || body.product_type === "")
    return json({ error: "product_type is required" }, 400);
  await noteIntent(call, readFields(INTENT_FIELDS, body), true);
  return empty(200);
}

async function noteIntent(call: EnvironmentCall, values: FieldValues<typeof INTENT_FIELDS>, isOnboarded: boolean) {
  await call.deps.db.write(async (tx) => {
    const { before, after } = await noteProductIntent(tx, {
      teamId: call.environment.id,
      productType: required("product_type", values.product_type),
      context: values.intent_context ?? null,
      isOnboarded,
      nowMs: call.nowMs,
    });
    const state = (intent: typeof before): JsonObject | null =>
      intent === null ? null : { product_intents: PRODUCT_INTENT.show(intent, null) as JsonObject };
    const changes = changesBetween("Team", state(before), state(after), ["product_intents"]);
    await ENVIRONMENTS.record(tx, call, call.environment, "updated", changes);
  });
}

async function isGeneratingDemoData(call: EnvironmentCall): Promise<Response> {
  return json({ is_generating_demo_data: call.environment.demoUntilMs > call.deps.now() });
}

async function resetToken(call: EnvironmentCall): Promise<Response> {
  const token = newProjectToken();
  const renewed = await call.deps.db.write(async (tx) => {
    const before = await ENVIRONMENTS.findToChange(tx, call);
    await setEnvironmentToken(tx, before.id, { token, nowMs: call.nowMs });
    const changes = changesBetween("Team", { api_token: before.apiToken }, { api_token: token }, ["api_token"]);
    await ENVIRONMENTS.record(tx, call, before, "updated", changes);
    return { ...before, apiToken: token, updatedAtMs: call.nowMs };
  });
  return ENVIRONMENTS.reply(call, renewed, null);
}
