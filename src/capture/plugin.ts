import { Elysia } from "elysia";
import { methodNotAllowed } from "./answer.ts";
import { type CaptureDeps, Front } from "./front.ts";

const PATHS = ["/capture", "/capture/", "/batch", "/batch/"];

/**
 * POST /capture and /batch, with and without a slash, each taking every shape of body.
 * The listener's own bound on bodies must stand well above `batchMaxBytes`, or Bun answers in our place, without a body.
 */
export function capturePlugin(deps: CaptureDeps) {
  const front = new Front(deps);
  const app = new Elysia({ name: "capture" });
  for (const path of PATHS) {
    app.post(path, ({ request }) => front.receive(request), { parse: "none" });
    app.all(path, methodNotAllowed, { parse: "none" });
  }
  return app;
}
