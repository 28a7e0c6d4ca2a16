import type { Actor } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { loadConfig } from "../../src/config.ts";
import { runWorker } from "../../src/roles/worker.ts";

/** A worker that stops itself in the middle of a flush, when it meets an event named "pause" for the first time. */
let paused = false;
const pausing: Actor = {
  name: "pausing",
  step(batch) {
    if (!paused && batch.some((at) => at.event.event === "pause")) {
      paused = true;
      process.kill(process.pid, "SIGSTOP");
    }
    return {};
  },
};

process.exit(await runWorker(loadConfig(), [pausing, ...ACTORS]));
