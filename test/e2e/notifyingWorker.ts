import type { Actor, Message } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { loadConfig } from "../../src/config.ts";
import { runWorker } from "../../src/roles/worker.ts";
import type { JsonObject } from "../../src/types/mod.ts";

/** A worker that answers each event named "order" with a message to WEBHOOK_URL and an event "receipt". */
const url = process.env.WEBHOOK_URL!;
const notifying: Actor = {
  name: "notifying",
  step(batch) {
    const orders = batch.filter((at) => at.event.event === "order");
    return {
      messages: orders.flatMap((at): Message[] => {
        const { serial } = JSON.parse(at.event.properties) as JsonObject;
        const { distinctId } = at.event;
        return [
          { at, target: url, body: { distinct_id: distinctId, serial: serial! } },
          {
            at,
            target: "events",
            body: { event: "receipt", distinct_id: distinctId, properties: { serial: serial! } },
          },
        ];
      }),
    };
  },
};

process.exit(await runWorker(loadConfig(), [notifying, ...ACTORS]));
