/**
 * The two kinds of failure. Callers decide by type, never by message:
 * a terminal error will fail again with the same input, a retryable one may pass later.
 */
export abstract class WeirError extends Error {
  abstract readonly retryable: boolean;

  constructor(
    /** Stable, lower_snake_case; part of the API where it reaches a client. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class TerminalError extends WeirError {
  readonly retryable = false;
}

export class RetryableError extends WeirError {
  readonly retryable = true;
}

/** A command was typed wrongly: its usage is shown, and it ends with exit code 2. */
export class UsageError extends TerminalError {
  constructor(problem: string) {
    super("invalid_arguments", problem);
  }
}

/** The text of anything thrown, for logs and `reason` columns. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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
