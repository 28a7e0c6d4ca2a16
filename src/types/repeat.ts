import { describeError } from "./errors.ts";
import { pauseUnless } from "./pause.ts";

/** The pause where nothing is due. */
const LOOK_MS = 1_000;

/**
 * Repeats a step: at once where it did something, else after a pause. Errors are logged, and it goes on. The function that is given
 * ends it: the signal of the step is aborted, and it resolves when the step has ended.
 */
export function repeat(
  step: (signal: AbortSignal) => Promise<boolean>,
  log: (line: string) => void,
  lookMs = LOOK_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async () => {
    while (!signal.aborted) {
      const didOne = await step(signal).catch((error) => {
        if (!signal.aborted) log(describeError(error));
        return false;
      });
      if (!didOne) await pauseUnless(signal, lookMs);
    }
  };
  const ended = work();
  return () => {
    stopping.abort();
    return ended;
  };
}
