import { describeError, pauseUnless } from "../../types/mod.ts";

/** The pause where nothing is due. */
const LOOK_MS = 1_000;

/**
 * Repeats a step: at once where it did something, else after a pause. Errors are logged, and it goes on. The function that is given ends it: the
 * signal of the step is aborted, and it resolves when the step has ended.
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

/** Whose turn it is among projects: the one whose last turn is longest ago. */
export class ProjectTurns {
  private readonly last = new Map<number, number>();
  private turn = 0;

  /** `teams`: those that wait, in the order in which they would go first. Null where none does. */
  next(teams: readonly number[]): number | null {
    const lastTurn = (teamId: number) => this.last.get(teamId) ?? 0;
    const [teamId] = teams.toSorted((a, b) => lastTurn(a) - lastTurn(b));
    if (teamId === undefined) return null;
    this.last.set(teamId, ++this.turn);
    return teamId;
  }
}
