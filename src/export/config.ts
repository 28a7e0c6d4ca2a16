import { TerminalError } from "../types/mod.ts";

/** A problem of a destination's settings. */
export const invalidConfig = (member: string, problem: string): TerminalError =>
  new TerminalError("invalid_config", `${member}: ${problem}`);

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Reads the members of a destination's config, one after the other; throws TerminalError `invalid_config` that names the member. */
export class ConfigReader {
  private readonly read = new Set<string>();

  constructor(private readonly config: Readonly<Record<string, unknown>>) {}

  /** Null when it is absent. */
  optionalText(name: string): string | null {
    const value = this.take(name);
    if (isAbsent(value)) return null;
    if (typeof value !== "string") throw invalidConfig(name, "Not a valid string.");
    return value;
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === null) throw invalidConfig(name, "This field is required.");
    return value;
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.optionalText(name) ?? fallback;
    if (!choices.includes(value as T)) throw invalidConfig(name, `"${value}" is not one of ${choices.join(", ")}.`);
    return value as T;
  }

  flag(name: string): boolean {
    const value = this.take(name);
    if (isAbsent(value)) return false;
    if (typeof value !== "boolean") throw invalidConfig(name, "Must be a valid boolean.");
    return value;
  }

  /** A whole number within bounds; null when it is absent. */
  number(name: string, least: number, most: number): number | null {
    const value = this.take(name);
    if (isAbsent(value)) return null;
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
      throw invalidConfig(name, `Must be a whole number from ${least} to ${most}.`);
    }
    return value;
  }

  /** Members that mean something elsewhere and cannot be done here: they must be absent. */
  refuse(name: string, because: string): void {
    if (!isAbsent(this.take(name))) throw invalidConfig(name, because);
  }

  /** Members that another part reads. */
  skip(...names: readonly string[]): void {
    for (const name of names) this.read.add(name);
  }

  /** After all members: one that nobody reads is refused. */
  end(): void {
    const unknown = Object.keys(this.config).find((name) => !this.read.has(name) && !isAbsent(this.config[name]));
    if (unknown !== undefined) throw invalidConfig(unknown, "This destination has no such setting.");
  }

  private take(name: string): unknown {
    this.read.add(name);
    return this.config[name];
  }
}
