import { ACTORS } from "../../actors/mod.ts";
import { loadConfig } from "../../src/config.ts";
import type { Actor } from "../../src/runtime/mod.ts";
import { runWorker } from "../../src/runtime/roles/worker.ts";

/** A worker that dies at once, without a word, when it meets an event named "killer". */
const killer: Actor = {
  name: "killer",
  step(batch) {
    if (batch.some((at) => at.event.event === "killer")) process.kill(process.pid, "SIGKILL");
    return { rows: [] };
  },
};

process.exit(await runWorker(loadConfig(), [killer, ...ACTORS]));
