import type { Json, JsonObject } from "../../types/mod.ts";
import { objectOf } from "./values.ts";

/** Properties while an event is made. A name may be anything, `__proto__` too. */
export class Properties {
  private readonly values: JsonObject;

  /** Begins with a copy of an object. */
  constructor(from: JsonObject | null = null) {
    this.values = from === null ? {} : { ...from };
  }

  get(name: string): Json | undefined {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }

  /** Sets a property; what is absent, null or an empty text leaves it as it was. */
  set(name: string, value: Json | undefined): void {
    if (isSomething(value)) this.put(name, value);
  }

  private put(name: string, value: Json): void {
    if (name !== "__proto__") this.values[name] = value;
    else Object.defineProperty(this.values, name, { value, enumerable: true, writable: true, configurable: true });
  }

  /** The same, where there is none of this name yet. */
  add(name: string, value: Json | undefined): void {
    if (isSomething(value) && !isSomething(this.get(name))) this.put(name, value);
  }

  /** Removes a property, and gives its value. */
  take(name: string): Json | undefined {
    const value = this.get(name);
    if (value !== undefined) delete this.values[name];
    return value;
  }

  /** Gives a property another name; where that one is there already, its value stays. */
  rename(from: string, to: string): void {
    const value = this.take(from);
    if (isSomething(value)) this.add(to, value);
  }

  /** Adds members to an object among the properties (`$set`, `$set_once`, `$groups`); what was there stays. */
  merge(name: string, members: Properties): void {
    if (members.isEmpty) return;
    const there = objectOf(this.get(name));
    this.put(name, there === null ? members.values : { ...members.values, ...there });
  }

  names(): string[] {
    return Object.keys(this.values);
  }

  get isEmpty(): boolean {
    for (const name in this.values) if (Object.hasOwn(this.values, name)) return false;
    return true;
  }

  /** The properties themselves: nothing is to be changed after this. */
  toObject(): JsonObject {
    return this.values;
  }
}

function isSomething(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== "";
}
