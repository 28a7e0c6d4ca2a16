import { membersOf, withMembers } from "../../src/json/mod.ts";
import type { Actor, Delivered } from "../contract.ts";

/** Adds `plan` to events of paying customers, whose ids begin with `paid-`. */
export const addPlan: Actor = {
  name: "add_plan",
  step(batch) {
    return { pass: batch.map((at) => (at.event.distinctId.startsWith("paid-") ? withPlan(at) : at)) };
  },
};

/** The text is changed, not parsed and printed: numbers keep their digits. */
function withPlan(at: Delivered): Delivered {
  const { properties } = at.event;
  if (membersOf(properties).has("plan")) return at;
  return { ...at, event: { ...at.event, properties: withMembers(properties, new Map([["plan", '"paid"']])) } };
}
