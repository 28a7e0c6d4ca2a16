import { Type } from "@sinclair/typebox";
import { destinationOf } from "../../export/mod.ts";
import { nullable, object, oneOf, text } from "../../openapi/mod.ts";
import { describeError, type JsonObject, requestIdOf, WeirError } from "../../types/mod.ts";
import { invalidField, notFound } from "../http/errors.ts";
import { type FieldValues, integer as integerField, readFields, required } from "../http/fields.ts";
import { textParam } from "../http/query.ts";
import { json } from "../http/reply.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { checkedConfig, merged, openConfig } from "./destination.ts";
import { EXPORT_FIELDS } from "./fields.ts";
import { EXPORTS } from "./resource.ts";

const TEST_MS = 30_000;

const STEP = {
  name: "Reach the destination",
  description: "Checks the configuration, and connects as a run does.",
};

const RESULT = object("DestinationTestResult", { status: oneOf(["Passed", "Failed"]), message: nullable(text()) });
const SEEN_STEP = object("DestinationTestStep", {
  name: text(),
  description: text(),
  result: nullable(RESULT),
});
const STEPS = object("DestinationTest", { steps: Type.Array(SEEN_STEP) });

const BODY = { step: integerField({ min: 0 }), destination: EXPORT_FIELDS.destination };

/** Tries of a destination: one step. */
export const testRoutes: HandledBy<EnvironmentCall>[] = [
  {
    method: "GET",
    path: "batch_exports/test/",
    summary: "The steps in which a destination is tried",
    scope: "batch_export:read",
    query: { destination: textParam("A type of destinations, e.g. `S3Compatible`.") },
    responses: { 200: STEPS },
    async handle({ query }) {
      const type = query.get("destination");
      if (type === null || type === "") throw invalidField("destination", "required", "This field is required.");
      if ((await destinationOf(type)) === null) throw notFound();
      return json({ steps: [{ ...STEP, result: null }] });
    },
  },
  {
    method: "POST",
    path: "batch_exports/run_test_step_new/",
    summary: "Try a destination that is not saved",
    scope: "batch_export:write",
    body: BODY,
    requires: ["destination"],
    responses: { 200: SEEN_STEP },
    unlogged: "nothing is changed",
    async handle(call) {
      const { type, config } = required("destination", (await bodyOf(call)).destination);
      return json({ ...STEP, result: await tried(call, type, config) });
    },
  },
  {
    method: "POST",
    path: "batch_exports/:id/run_test_step/",
    summary: "Try the destination of a batch export, with what the body says over what is saved",
    scope: "batch_export:write",
    body: BODY,
    responses: { 200: SEEN_STEP },
    unlogged: "nothing is changed",
    async handle(call) {
      const item = await EXPORTS.find(call);
      const { destination } = await bodyOf(call);
      const saved = openConfig(call.deps, item.id, item.destination);
      const config = destination === undefined ? saved : merged(saved, destination.config);
      return json({ ...STEP, result: await tried(call, item.destination.type, config) });
    },
  },
];

const bodyOf = async (call: EnvironmentCall): Promise<FieldValues<typeof BODY>> => readFields(BODY, await call.body());

/** Throws ApiError 400 for a config that is wrong; what the destination says is the result. */
async function tried({ deps, nowMs, environment, request }: EnvironmentCall, type: string, config: JsonObject) {
  const whole = await checkedConfig(type, config);
  const kind = (await destinationOf(type))!;
  const range = { exportId: "test", teamId: environment.id, model: "events" as const, fromMs: nowMs, toMs: nowMs };
  try {
    const open = await kind.open(whole, range, { ...deps.exports.env, log: () => {} });
    try {
      await open.test?.(AbortSignal.any([request.signal, AbortSignal.timeout(TEST_MS)]));
    } finally {
      await open.close();
    }
    return { status: "Passed", message: null };
  } catch (error) {
    if (!(error instanceof WeirError)) deps.log(describeError(error), requestIdOf(request));
    return { status: "Failed", message: describeError(error) };
  }
}
