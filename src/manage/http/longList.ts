/** A list that is too long to be held, in the place where it belongs in an object that is written as JSON. */
export abstract class LongList {
  /** Its JSON text, in order. The first step may throw ApiErrors and RetryableErrors; it must be ended once it is begun. */
  abstract text(): AsyncGenerator<Uint8Array>;

  /** The elements, some at a time; otherwise as `text`. */
  abstract pieces(): AsyncGenerator<unknown[]>;

  /** Only for `textsOf`. */
  toJSON(): string {
    met.push(this);
    return MARK;
  }
}

/** Stands for a list in the text; nobody can know it. */
const MARK = crypto.randomUUID();
let met: LongList[] = [];

/** The JSON text of a value in parts: texts, with the long lists between them. */
export function textsOf(value: unknown): [string, ...(string | LongList)[]] {
  met = [];
  const text = JSON.stringify(value);
  if (met.length === 0) return [text];
  const lists = met;
  met = [];
  const [first, ...others] = text.split(`"${MARK}"`);
  return [first!, ...others.flatMap((other, i) => [lists[i]!, other])];
}
