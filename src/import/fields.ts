import type { Json, JsonObject } from "../types/mod.ts";
import { digitsOf, isObject, parseExact } from "./exact.ts";

/** The members of a row. What is never taken is told to the user as unused. */
export class Fields {
  /** Names that were asked for; a name may come twice. */
  private readonly taken: string[] = [];

  constructor(readonly row: JsonObject) {}

  /** A member as it is; undefined where there is none. */
  take(name: string): Json | undefined {
    this.taken.push(name);
    return Object.hasOwn(this.row, name) ? this.row[name] : undefined;
  }

  /** A member as text: of texts and numbers; null where it is absent, null, empty or something else. */
  text(name: string): string | null {
    const value = this.take(name);
    if (typeof value === "string") return value === "" ? null : value;
    return digitsOf(value);
  }

  /** A member that is an object, or an object written as JSON text; null otherwise. */
  object(name: string): JsonObject | null {
    const value = this.take(name);
    const read = typeof value === "string" && value.trimStart().startsWith("{") ? parsed(value) : value;
    return isObject(read) ? read : null;
  }

  /** Takes all members that were not taken yet. */
  rest(): JsonObject {
    const names = this.unused();
    this.taken.push(...names);
    return Object.fromEntries(names.map((name) => [name, this.row[name]!]));
  }

  /** Names of members that nothing has taken. */
  unused(): string[] {
    const taken = new Set(this.taken);
    return Object.keys(this.row).filter((name) => !taken.has(name));
  }
}

/** Null where a text is no JSON. */
function parsed(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}
