import { membersOf } from "../../json/mod.ts";
import type { JsonObject } from "../../types/mod.ts";

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

/** A shorter text is parsed and written again in less time than it takes to put its members into another one. */
const SHORT_LENGTH = 2_048;

/** A value that is JSON text already, in the place where it belongs in a value that is written as JSON. */
export class JsonText {
  /** `list`: the member `results` of an object, where that is too long to be in its text. */
  constructor(
    private readonly text: string,
    readonly list: LongList | null = null,
  ) {}

  /** The same object with further members in front of its own. */
  behind(members: object): JsonText {
    return new JsonText(`${JSON.stringify(members).slice(0, -1)},${this.text.slice(1)}`, this.list);
  }

  /** The text; null where the list is not in it. */
  get whole(): string | null {
    return this.list === null ? this.text : null;
  }

  /** What the text says; without the list. */
  parsed(): JsonObject {
    return JSON.parse(this.text);
  }

  /** The members of an object, to be written again; those of a long text as they are written in it. */
  members(): ReadonlyMap<string, unknown> {
    if (this.list === null && this.text.length < SHORT_LENGTH) return new Map(Object.entries(this.parsed()));
    const members = new Map<string, unknown>();
    for (const [name, text] of membersOf(this.text)) members.set(name, new JsonText(text));
    return this.list === null ? members : members.set("results", this.list);
  }

  /** Only for `textsOf`. */
  toJSON(): string {
    met.push(this);
    return MARK;
  }

  /** Only for `textsOf`. */
  inside(): readonly (string | LongList)[] {
    return this.list === null ? [this.text] : [`${this.text.slice(0, -1)},"results":`, this.list, "}"];
  }
}

/** Marks a place in the text. It is random, so that no value can have it. */
const MARK = crypto.randomUUID();
let met: (LongList | JsonText)[] = [];

/** The JSON text of a value in parts: texts, with the long lists between them. */
export function textsOf(value: unknown): [string, ...(string | LongList)[]] {
  met = [];
  const text = JSON.stringify(value);
  if (met.length === 0) return [text];
  const found = met;
  met = [];
  const [first, ...others] = text.split(`"${MARK}"`);
  const parts: [string, ...(string | LongList)[]] = [first!];
  for (const [i, other] of others.entries()) {
    const one = found[i]!;
    for (const part of [...(one instanceof JsonText ? one.inside() : [one]), other]) {
      const last = parts.at(-1);
      if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
      else parts.push(part);
    }
  }
  return parts;
}
