import { type EventLane, ordinalOf, personIdOf } from "../src/types/mod.ts";
import type { Actor, StoredRow } from "./contract.ts";

/** Stores every event as it came, under the person of its distinct_id. */
export const eventActor: Actor = {
  name: "event",
  step(batch, known) {
    const rows = batch.map((source): StoredRow => {
      const { event, sequence, index, storedAtMs } = source;
      // No spread: this runs for every event.
      return {
        teamId: event.teamId,
        uuid: event.uuid,
        event: event.event,
        distinctId: event.distinctId,
        personId: known.person(event.teamId, event.distinctId)?.personId ?? personIdOf(event.teamId, event.distinctId),
        timestampMs: event.timestampMs,
        createdAtMs: storedAtMs,
        lane: source.lane as EventLane,
        ordinal: ordinalOf(sequence, index),
        properties: event.properties,
        elementsChain: event.elementsChain,
        flags: event.flags,
        source,
      };
    });
    return { rows };
  },
};
