/**
 * Preloaded by bunfig.toml: random cases are the same in every run, so that a run that fails fails again.
 * WEIR_TEST_SEED gives others.
 */
import fc from "fast-check";

const DEFAULT_SEED = 14;
const LARGEST_SEED = 2 ** 31 - 1;

/** Of all random cases of this process. */
export const TEST_SEED = readSeed(process.env.WEIR_TEST_SEED);

fc.configureGlobal({ seed: TEST_SEED });

function readSeed(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_SEED;
  const seed = Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed <= LARGEST_SEED) return seed;
  throw new Error(`WEIR_TEST_SEED is a whole number from 0 to ${LARGEST_SEED}`);
}
