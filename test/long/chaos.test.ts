import { expect, test } from "bun:test";
import { runChaos } from "../e2e/chaos/chaos.ts";

test("twenty rounds of kills under load, with workers that join and leave", async () => {
  const report = await runChaos({ rounds: 20 });
  expect(report.rounds).toHaveLength(20);
}, 1_200_000);
