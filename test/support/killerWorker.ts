import type { Actor } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { loadConfig } from "../../src/config.ts";
import { runWorker } from "../../src/roles/worker.ts";
import { LANES } from "../../src/types/mod.ts";

/** A worker that dies at once, without a word, when it meets an event named "killer" or a merge of the id "killer". */
const killer: Actor = {
  name: "killer",
  lanes: LANES,
  step(batch) {
    const isKiller = batch.some(
      ({ event, lane }) => (lane === "identity" ? event.distinctId : event.event) === "killer",
    );
    if (isKiller) process.kill(process.pid, "SIGKILL");
    return {};
  },
};

process.exit(await runWorker(loadConfig(), [killer, ...ACTORS]));
