import { TerminalError } from "../../types/mod.ts";

/** A node whose shape or content cannot be answered (400 `parse_error`). */
export class InvalidQuery extends TerminalError {
  constructor(
    /** The field, e.g. `series.0.math`, as the node names it that was read; empty for the whole node. */
    readonly place: string,
    readonly problem: string,
  ) {
    super("invalid_query", place === "" ? problem : `${place}: ${problem}`);
  }
}

/** What is wrong with the node around the one that is read, which names a part of its answer. */
export class InvalidPart extends InvalidQuery {}

/** `place` names the field, e.g. `series.0.math`. */
export const invalidQuery = (place: string, problem: string): InvalidQuery => new InvalidQuery(place, problem);

/** An option that PostHog knows and this engine does not answer yet: said by name, never ignored. */
export function notSupported(place: string, what: string): TerminalError {
  return invalidQuery(place, `${what} is not supported yet`);
}

/** `member`: of the node around. */
export const invalidPart = (member: string, problem: string): InvalidPart => new InvalidPart(member, problem);

/** Runs `body`, which reads the node around; its errors are those of it. */
export function ofPart<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw error instanceof InvalidQuery ? invalidPart(error.place, error.problem) : error;
  }
}

/** Filters of the environment: they stand in no node. */
const OUTSIDE = /^test_account_filters\b/;

/**
 * Runs `body`, which reads or answers a node that stands inside of another one, at `place`: its errors name their places from
 * the outer node on.
 */
export function inside<T>(place: string, body: () => T): T {
  const thrown = (error: unknown): never => {
    if (place === "" || !(error instanceof InvalidQuery) || OUTSIDE.test(error.place)) throw error;
    const outer = error instanceof InvalidPart ? place.split(".").slice(0, -1).join(".") : place;
    throw invalidQuery([outer, error.place].filter((part) => part !== "").join("."), error.problem);
  };
  try {
    const result = body();
    return result instanceof Promise ? (result.catch(thrown) as T) : result;
  } catch (error) {
    return thrown(error);
  }
}

/** Where a part of the user's text stands: character offsets. */
export interface At {
  start?: { offset: number };
  end?: { offset: number };
}

/** HogQL that is refused (400 `validation_error`); `start` and `end` are character offsets in the user's text. */
export class HogqlError extends TerminalError {
  constructor(
    message: string,
    public start: number | null = null,
    public end: number | null = null,
  ) {
    super("invalid_hogql", message);
  }

  /** Says where it is, once that is known. */
  placeAt(start: number, end: number | null): void {
    this.start = start;
    this.end = end;
  }
}

/** An error of a part of the text. */
export function errorAt(part: At | undefined, message: string): HogqlError {
  return new HogqlError(message, part?.start?.offset, part?.end?.offset);
}

/** Runs `body`; an error of it that has no place gets that of the part. */
export function placed<T>({ start, end }: At, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof HogqlError && error.start === null && start !== undefined) {
      error.placeAt(start.offset, end?.offset ?? null);
    }
    throw error;
  }
}
