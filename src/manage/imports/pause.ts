import { IMPORT_RUNS } from "../../metadata/mod.ts";
import { invalidField } from "../http/errors.ts";
import type { EnvironmentCall } from "../serve/route.ts";
import { IMPORT, IMPORTS } from "./imports.ts";
import { noteState } from "./noteState.ts";

/** `imports/:id/pause/`. */
export const pauseRoute = {
  method: "POST",
  path: "imports/:id/pause/",
  summary:
    "Ask the importer to pause: it does when it next notes how far it is. `weir import resume` goes on, where it was begun",
  scope: "batch_import:write",
  responses: { 200: IMPORT },
  handle: pause,
} as const;

async function pause(call: EnvironmentCall): Promise<Response> {
  const after = await noteState(call, ({ state, ...rest }) => {
    if (state !== "stopping" && !IMPORT_RUNS.has(state)) {
      throw invalidField("state", "invalid_input", `This import does not run: it is ${state}.`);
    }
    return { ...rest, state: "stopping" };
  });
  return IMPORTS.reply(call, after, null);
}
