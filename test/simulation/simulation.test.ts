import { expect, test } from "bun:test";
import { FAULTS } from "./faults.ts";
import { runSeeds } from "./manySeeds.ts";
import { simulate } from "./simulation.ts";

/** WEIR_SIMULATION_SEEDS runs more or fewer, WEIR_SIMULATION_FROM others. */
const SEEDS = Number(process.env.WEIR_SIMULATION_SEEDS ?? 10_000);
const FROM = Number(process.env.WEIR_SIMULATION_FROM ?? 0);
const PROCESSES = 2;
/** Only ends a hang. */
const TIME_LIMIT_MS = 3_600_000;

test(
  `${SEEDS} seeds: no promise is broken, whatever goes wrong`,
  async () => {
    const { seeds, faults, failures, poor } = await runSeeds(FROM, FROM + SEEDS, PROCESSES);
    console.log(FAULTS.map((fault) => `${String(faults[fault] ?? 0).padStart(8)}  ${fault}`).join("\n"));
    for (const { seed, violation } of failures) {
      console.log(`bun test/simulation/replay.ts ${seed} --trace\n  ${violation}`);
    }
    expect(failures).toEqual([]);
    expect(seeds).toBe(SEEDS);
    expect(poor).toEqual([]);
    expect(FAULTS.filter((fault) => (faults[fault] ?? 0) === 0)).toEqual([]);
  },
  TIME_LIMIT_MS,
);

test("a seed gives the same run again", () => {
  const [once, again] = [simulate(7, { isTraced: true }), simulate(7, { isTraced: true })];
  expect(once.steps).toBeGreaterThan(100);
  expect(again).toEqual(once);
});
