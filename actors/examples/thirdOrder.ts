import { stateKey } from "../../src/types/mod.ts";
import type { Actor, Message } from "../contract.ts";

interface Orders {
  count: number;
}

/** Tells the shop's own system of everybody's third order, once, and stores an event of it. */
export function thirdOrder(address: string): Actor<Orders> {
  return {
    name: "third_order",
    keepsState: true,
    step(batch, known) {
      const states = new Map<string, Orders>();
      const messages: Message[] = [];
      for (const at of batch) {
        if (at.event.event !== "order placed") continue;
        const key = stateKey(at.event);
        const count = (states.get(key) ?? known.states.get(key) ?? { count: 0 }).count + 1;
        states.set(key, { count });
        if (count !== 3) continue;
        const { distinctId } = at.event;
        messages.push({ at, target: address, body: { distinct_id: distinctId, orders: count } });
        messages.push({ at, target: "events", body: { event: "third order", distinct_id: distinctId } });
      }
      return { states, messages };
    },
  };
}
