import type { Actor, Message } from "../../actors/contract.ts";
import { stateKey } from "../../src/types/mod.ts";

/** Names of events that the actor of this file treats in its own way. */
export const THROWS = "throws";
export const KILLS = "kills";
export const NOTIFIES = "notifies";

export const TARGET = "https://receiver.test/";

/**
 * An actor as a user may write one: it counts the events of each distinct_id and sends a message for some of them. Two names
 * make it fail, one by an error, one by ending the process.
 */
export function probeActor(kill: () => void): Actor<number> {
  return {
    name: "probe",
    keepsState: true,
    step(batch, known) {
      const states = new Map<string, number>();
      const messages: Message[] = [];
      for (const at of batch) {
        const { event } = at;
        if (event.event === KILLS) kill();
        if (event.event === KILLS || event.event === THROWS) throw new Error(`the event ${event.event}`);
        const key = stateKey(event);
        states.set(key, (states.get(key) ?? known.states.get(key) ?? 0) + 1);
        if (event.event === NOTIFIES) messages.push({ at, target: TARGET, body: { uuid: event.uuid } });
      }
      return { states, messages };
    },
  };
}
