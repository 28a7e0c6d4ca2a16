import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { Delivered, Known } from "../../actors/contract.ts";
import { addPlan } from "../../actors/examples/addPlan.ts";
import { dropBots } from "../../actors/examples/dropBots.ts";
import { thirdOrder } from "../../actors/examples/thirdOrder.ts";
import { stateKey } from "../../src/types/mod.ts";
import { eventOf } from "../stream/events.ts";

const EXAMPLES = new URL("../../actors/examples/", import.meta.url).pathname;
const NOTHING: Known<{ count: number }> = {
  states: new Map(),
  groupTypes: () => new Map(),
  identities: [],
  person: () => null,
};

function delivered(...events: Parameters<typeof eventOf>[0][]): Delivered[] {
  return events.map((fields, index) => ({
    event: eventOf(fields),
    lane: "live",
    partition: 0,
    sequence: 1,
    index,
    storedAtMs: 5,
    version: { tMs: 5, source: 2, ordinal: index },
  }));
}

test("the page shows the examples as they are", () => {
  const page = readFileSync(new URL("../../actors/DESIGN.md", import.meta.url), "utf8");
  const files = readdirSync(EXAMPLES);
  expect(files.length).toBe(3);
  for (const file of files) expect(page).toContain(`\`\`\`ts\n${readFileSync(EXAMPLES + file, "utf8")}\`\`\``);
});

test("robots are left out", () => {
  const batch = delivered(
    { properties: '{"$raw_user_agent":"Mozilla/5.0"}' },
    { properties: '{"$raw_user_agent":"GoogleBot/2"}' },
    { properties: "{}" },
  );
  expect(dropBots.step(batch, NOTHING).pass).toEqual([batch[0]!, batch[2]!]);
});

test("a property is added, the others stay to the letter", () => {
  const batch = delivered(
    { distinctId: "paid-1", properties: '{"n":1.10} ' },
    { distinctId: "paid-2", properties: "{}" },
    { distinctId: "paid-3", properties: '{"plan":"own"}' },
    { distinctId: "free" },
  );
  const { pass } = addPlan.step(batch, NOTHING);
  expect(pass!.map(({ event }) => event.properties)).toEqual([
    '{"n":1.10,"plan":"paid"}',
    '{"plan":"paid"}',
    '{"plan":"own"}',
    "{}",
  ]);
});

test("the third order is told once, however the orders are batched", () => {
  const orders = delivered(
    ...["a", "b", "a", "a", "a", "b", "b"].map((distinctId) => ({ event: "order placed", distinctId })),
  );
  const actor = thirdOrder("http://127.0.0.1:9/");
  for (let cut = 0; cut <= orders.length; cut++) {
    const first = actor.step(orders.slice(0, cut), { ...NOTHING, states: new Map() });
    const states = new Map(first.states as Map<string, { count: number }>);
    const second = actor.step(orders.slice(cut), { ...NOTHING, states });
    const messages = [...first.messages!, ...second.messages!];
    expect(messages.map(({ at, target }) => `${stateKey(at.event)} ${at.index} ${target}`)).toEqual([
      "1:a 3 http://127.0.0.1:9/",
      "1:a 3 events",
      "1:b 6 http://127.0.0.1:9/",
      "1:b 6 events",
    ]);
  }
});
