import type { FunnelStep } from "./types.ts";

/** What a bar of a funnel says. Ratios are null where nobody could have come. */
interface StepNumbers {
  count: number;
  /** How many came to the step before and no further; 0 for the first step. */
  dropped: number;
  fromFirst: number | null;
  fromBefore: number | null;
}

/** Those of one group at a step. */
export function stepNumbers(steps: readonly FunnelStep[], step: number, group: number): StepNumbers {
  const countOf = (at: number) => steps[at]?.groups[group]?.count ?? 0;
  return numbersOf(countOf, step, steps[step]?.before);
}

/** Those of all groups together, but of periods that others are compared with. */
export function sumNumbers(steps: readonly FunnelStep[], step: number): StepNumbers {
  const countOf = (at: number) =>
    steps[at]?.groups.reduce((sum, { count, isPrevious }) => (isPrevious === true ? sum : sum + count), 0) ?? 0;
  return numbersOf(countOf, step, steps[step]?.before);
}

function numbersOf(countOf: (step: number) => number, step: number, compared = Math.max(0, step - 1)): StepNumbers {
  const [count, first, before] = [countOf(step), countOf(0), countOf(compared)];
  return {
    count,
    dropped: step === 0 ? 0 : Math.max(0, before - count),
    fromFirst: first > 0 ? count / first : null,
    fromBefore: before > 0 ? count / before : null,
  };
}
