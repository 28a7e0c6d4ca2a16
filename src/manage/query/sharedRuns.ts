import { TerminalError } from "../../types/mod.ts";

interface Run<T> {
  outcome: Promise<T>;
  stop: AbortController;
  waiting: number;
}

/** What several ask for at the same moment is done once, and ended when none of them waits any more. */
export class SharedRuns<T> {
  private readonly runs = new Map<string, Run<T>>();

  /** How many wait now. */
  get waiting(): number {
    return this.runs.values().reduce((sum, run) => sum + run.waiting, 0);
  }

  /** Joins the run of this key, or begins it. Rejects with TerminalError `query_cancelled` when `signal` fires. */
  async join(key: string, signal: AbortSignal, begin: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw cancelled();
    let run = this.runs.get(key);
    if (run === undefined) {
      const stop = new AbortController();
      const forget = () => {
        if (this.runs.get(key)?.stop === stop) this.runs.delete(key);
      };
      run = { outcome: begin(stop.signal).finally(forget), stop, waiting: 0 };
      run.outcome.catch(() => {});
      this.runs.set(key, run);
    }
    return this.wait(key, run, signal);
  }

  private async wait(key: string, run: Run<T>, signal: AbortSignal): Promise<T> {
    const left = Promise.withResolvers<never>();
    left.promise.catch(() => {});
    const onAbort = () => left.reject(cancelled());
    signal.addEventListener("abort", onAbort, { once: true });
    run.waiting++;
    try {
      return await Promise.race([run.outcome, left.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      if (--run.waiting === 0 && signal.aborted) {
        // Whoever asks next must not join a run that is being ended.
        if (this.runs.get(key) === run) this.runs.delete(key);
        run.stop.abort();
      }
    }
  }
}

function cancelled(): TerminalError {
  return new TerminalError("query_cancelled", "the query was cancelled");
}
