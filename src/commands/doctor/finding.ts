/** `bad`: something does not work, or soon will not; `odd`: worth a look. */
export type Verdict = "ok" | "odd" | "bad";

/** What a check has found, and what to do about it. */
export interface Finding {
  /** What was looked at, e.g. `disk`. */
  of: string;
  verdict: Verdict;
  /** A sentence with the figures. */
  found: string;
  /** What an operator does now; null where there is nothing to do. */
  advice: string | null;
}

export const ok = (of: string, found: string): Finding => ({ of, verdict: "ok", found, advice: null });
export const odd = (of: string, found: string, advice: string): Finding => ({ of, verdict: "odd", found, advice });
export const bad = (of: string, found: string, advice: string): Finding => ({ of, verdict: "bad", found, advice });
