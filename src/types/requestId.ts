/** Tells which request an answer and lines of the log belong to. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/** What a client or a proxy may give as an id: it goes into logs and answers as it is. */
const GIVEN = /^[\w.:-]{1,64}$/;

/** Of this process; a number follows. */
const prefix = crypto.randomUUID().slice(-12);
let made = 0;

/** Leaves an id in the header of a request: the one that it came with where that is a short token, else a new one. */
export function identify({ headers }: Request): void {
  const given = headers.get(REQUEST_ID_HEADER);
  if (given === null || !GIVEN.test(given)) headers.set(REQUEST_ID_HEADER, `${prefix}-${(made++).toString(36)}`);
}

/** The id that `identify` left, or undefined. */
export function requestIdOf({ headers }: Pick<Request, "headers">): string | undefined {
  return headers.get(REQUEST_ID_HEADER) ?? undefined;
}
