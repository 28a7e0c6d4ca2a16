import { checkExpressions } from "../../query/mod.ts";
import type { Json } from "../../types/mod.ts";
import { ofField } from "../query/unsaved.ts";
import type { EnvironmentCall } from "../serve/route.ts";

/** Asks the engine for the regular expressions of steps, as they came. Throws ApiError 400 for one that is none. */
export async function checkPatterns(call: EnvironmentCall, steps: Json | undefined): Promise<void> {
  if (steps === undefined || steps === null) return;
  const context = await call.deps.queries.calculator.contextNow(call);
  await checkExpressions(steps, "steps", context).catch((error: unknown) => {
    throw ofField(error, "steps");
  });
}
