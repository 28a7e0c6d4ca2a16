import { faultOfTime, type TrialFacts, tryEvent } from "../../capture/trial.ts";
import { GROUP_IDENTIFY, hasLongKey, identifiedGroup } from "../../persons/mod.ts";
import { type DropCause, describeError, type OutgoingEvent, TerminalError, textOf } from "../../types/mod.ts";
import type { FrontFacts } from "../sending/mod.ts";
import { type RejectReason, RowRejected } from "../types.ts";

/** Those of the settings, where there is no Weir to ask. */
export const USUAL_LIMITS = { eventMaxBytes: 1_000_000, jsonMaxDepth: 200 };

const REASONS: Partial<Record<DropCause, RejectReason>> = {
  missing_event_name: "no_event",
  missing_distinct_id: "no_id",
  invalid_uuid: "bad_id",
  message_size_too_large: "too_large",
};

/** What the Weir does with an event, by the very code of its front: an event that it would set aside is a reject. */
export class FrontRules {
  private facts: TrialFacts = { nowMs: Date.now(), ...USUAL_LIMITS };

  /** Judges as this front does from now on. */
  follow(front: FrontFacts | undefined): void {
    if (front === undefined) return;
    const { event_max_bytes: eventMaxBytes, json_max_depth: jsonMaxDepth } = front;
    this.facts = { ...this.facts, eventMaxBytes, jsonMaxDepth };
  }

  /** Throws RowRejected for the JSON of an event that the Weir does not store. */
  check(json: string): void {
    const cause = this.causeOf(json);
    if (cause === null) return;
    if (cause === "message_size_too_large") {
      throw new RowRejected("too_large", `The event is larger than ${this.facts.eventMaxBytes} bytes.`);
    }
    throw new RowRejected(REASONS[cause] ?? "refused", `The Weir does not take the event: ${cause}.`);
  }

  private causeOf(json: string): DropCause | null {
    let made: OutgoingEvent | DropCause;
    try {
      made = tryEvent(json, this.facts);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      throw new RowRejected("refused", describeError(error));
    }
    if (typeof made === "string") return made;
    return describesLongGroup(made) ? "group_key_too_long" : null;
  }

  /** Throws RowRejected for a time that the Weir does not store as it is. */
  checkTime(ms: number): void {
    if (Number.isNaN(ms)) throw new RowRejected("bad_time", "The time cannot be read.");
    const fault = faultOfTime(ms, this.facts.nowMs);
    if (fault === "out_of_calendar") throw new RowRejected("bad_time", "The time is outside of the years 0 to 9999.");
    if (fault === "too_far_ahead") throw new RowRejected("bad_time", "The time is more than 23 hours ahead.");
  }
}

/** The front does not look at it; an actor sets it aside (actors/groups.ts). */
function describesLongGroup({ event, flags, properties }: OutgoingEvent): boolean {
  if (event !== GROUP_IDENTIFY) return false;
  const group = identifiedGroup({ event, flags, properties: textOf(properties) });
  return group !== null && hasLongKey(group);
}
