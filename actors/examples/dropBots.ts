import type { Actor } from "../contract.ts";

const BOT = /bot|crawler|spider|headless/i;

/** Leaves out what robots send. */
export const dropBots: Actor = {
  name: "drop_bots",
  step(batch) {
    return { pass: batch.filter(({ event }) => !BOT.test(agentOf(event.properties))) };
  },
};

function agentOf(properties: string): string {
  // Most events need no parsing.
  return properties.includes("$raw_user_agent") ? String(JSON.parse(properties).$raw_user_agent ?? "") : "";
}
