import { expect, test } from "bun:test";
import { runChaos } from "./chaos/chaos.ts";
import { FAULTS } from "./chaos/fleet.ts";

test("kills at random moments, with workers that join and leave: all that was accepted is stored once, in order", async () => {
  const report = await runChaos({ rounds: 5 });
  expect(new Set(report.rounds.map(({ fault }) => fault))).toEqual(new Set(FAULTS));
});
