import { expect, test } from "bun:test";
import { PLANTS } from "./plants/mod.ts";
import { simulate } from "./simulation.ts";

/** Of every planted violation the simulation must find one within so many seeds. */
const MAX_SEEDS = 400;

test.each(PLANTS.map(({ rule, what, plant }) => [rule, what, plant] as const))("rule %d: %s", (_rule, _what, plant) => {
  let seed = 1;
  let found = simulate(seed, { plant }).violation;
  while (found === null && seed < MAX_SEEDS) found = simulate(++seed, { plant }).violation;
  expect(found).not.toBeNull();
});
