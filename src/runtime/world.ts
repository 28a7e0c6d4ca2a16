/** Time and chance, handed in, so that a test can turn the clock and repeat a run. */
export interface World {
  /** Epoch milliseconds. */
  nowMs(): number;
  /** Milliseconds of a clock that is never set, from any beginning: for how long something has lasted. */
  steadyMs(): number;
  sleep(ms: number): Promise<void>;
  /** A UUID. */
  newId(): string;
}

export const realWorld: World = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  sleep: (ms) => Bun.sleep(ms),
  newId: () => crypto.randomUUID(),
};
