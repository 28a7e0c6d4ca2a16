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
