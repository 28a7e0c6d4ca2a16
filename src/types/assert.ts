import { TerminalError } from "./errors.ts";

/** A rule of the service does not hold: there is a defect in it, or something changed its data. Nothing goes on from here. */
export class AssertionFailed extends TerminalError {
  constructor(rule: string) {
    super("assertion_failed", rule);
  }
}

/** Throws AssertionFailed when a rule does not hold. It stays on in production, so `isTrue` must cost next to nothing. */
export function assert(isTrue: boolean, rule: () => string): asserts isTrue {
  if (!isTrue) throw new AssertionFailed(rule());
}

/** The one item of a list; throws AssertionFailed when there is none, or more than one. */
export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new AssertionFailed(`${items.length} items where there is one`);
  return item;
}
