/** `scripts/test --long` sets it: how many times the usual number of random cases properties try. */
const TIMES = Number(process.env.WEIR_TEST_CASES || 1);

/** How many random cases a property tries, of the number that it usually tries. */
export const runs = (usual: number): number => Math.ceil(usual * TIMES);

/** As long as the random cases of a test may take; only ends a hang. */
export const CASES_MS = 900_000 * Math.max(1, TIMES);
