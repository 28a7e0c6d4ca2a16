import { type Actor, type StoredRow, stateKey } from "../src/runtime/actor.ts";
import { type EventLane, ordinalOf, personIdOf } from "../src/types/mod.ts";

/** Stores every event as it came, under the person that its distinct_id stands for. */
export const eventActor: Actor = {
  name: "event",
  step(batch) {
    const personIds = new Map<string, string>();
    const rows = batch.map((source): StoredRow => {
      const { event, sequence, index, storedAtMs } = source;
      const lane = source.lane as EventLane;
      const key = stateKey(event);
      let personId = personIds.get(key);
      if (personId === undefined) {
        personId = personIdOf(event.teamId, event.distinctId);
        personIds.set(key, personId);
      }
      return { ...event, personId, createdAtMs: storedAtMs, lane, ordinal: ordinalOf(sequence, index), source };
    });
    return { rows };
  },
};
