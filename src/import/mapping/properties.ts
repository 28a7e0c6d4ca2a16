import type { Json, JsonObject } from "../../types/mod.ts";
import { objectOf } from "./values.ts";

/** Properties while an event is made. A name may be anything, `__proto__` too. */
export class Properties {
  private readonly values: Map<string, Json>;

  /** Begins with a copy of an object. */
  constructor(from: JsonObject | null = null) {
    this.values = new Map(from === null ? [] : Object.entries(from));
  }

  get(name: string): Json | undefined {
    return this.values.get(name);
  }

  /** Sets a property; what is absent, null or an empty text leaves it as it was. */
  set(name: string, value: Json | undefined): void {
    if (isSomething(value)) this.values.set(name, value);
  }

  /** The same, where there is none of this name yet. */
  add(name: string, value: Json | undefined): void {
    if (!isSomething(this.values.get(name))) this.set(name, value);
  }

  /** Removes properties; the last one's value. */
  take(name: string): Json | undefined {
    const value = this.values.get(name);
    this.values.delete(name);
    return value;
  }

  /** Gives a property another name; where that one is there already, its value stays. */
  rename(from: string, to: string): void {
    const value = this.take(from);
    if (isSomething(value)) this.add(to, value);
  }

  /** Adds members to an object among the properties (`$set`, `$set_once`, `$groups`); what was there stays. */
  merge(name: string, members: Properties): void {
    if (members.values.size === 0) return;
    const there = objectOf(this.values.get(name));
    this.values.set(name, { ...members.toObject(), ...there });
  }

  entries(): IterableIterator<[string, Json]> {
    return this.values.entries();
  }

  get isEmpty(): boolean {
    return this.values.size === 0;
  }

  toObject(): JsonObject {
    return Object.fromEntries(this.values);
  }
}

function isSomething(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== "";
}
