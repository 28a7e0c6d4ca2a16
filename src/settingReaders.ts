import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { TerminalError } from "./types/mod.ts";

export type Environment = Record<string, string | undefined>;

/**
 * Ways to read a variable of the environment by its name, one for each form of value; an empty value counts as none. Each throws
 * TerminalError `invalid_setting` that names the variable. It tells the value only where that can hold no password.
 */
export function settingReaders(env: Environment) {
  const text = (name: string): string | null => env[name] || null;
  const number = (name: string, fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER): number => {
    const value = text(name);
    return value === null ? fallback : integerOf(name, value, min, max);
  };
  /** The first one where there is none. */
  const oneOf = <T extends string>(name: string, known: readonly [T, ...T[]]): T => {
    const value = text(name) ?? known[0];
    const found = known.find((each) => each === value);
    return found ?? refuse(name, `${known.join(" or ")}, not "${value}"`);
  };
  const isOn = (name: string, fallback: boolean): boolean => oneOf(name, fallback ? ["1", "0"] : ["0", "1"]) === "1";
  const url = (name: string): string | null => {
    const value = text(name);
    return value === null ? null : urlOf(name, value);
  };
  /** An address, or several with `,` between them, that begins with one of two schemes. */
  const address = (name: string, schemes: readonly [string, string], count: "one" | "several" = "one") => {
    const value = text(name);
    const parts = count === "one" ? [value ?? ""] : (value ?? "").split(",");
    const isRight = (part: string) => schemes.some((scheme) => URL.parse(part.trim())?.protocol === `${scheme}:`);
    if (value === null || parts.every(isRight)) return value;
    return refuse(name, `an address that begins with ${schemes[0]}:// or ${schemes[1]}://`);
  };
  const storeUrl = (name: string): string | null => {
    const value = text(name);
    return value === null ? null : storeUrlOf(name, value);
  };
  /** A share of memory: the setting of it, at least `min`; `own` where it is 0 or absent. */
  const share = (name: string, own: number, min = 1): number => {
    return number(name, 0) === 0 ? own : number(name, 0, min);
  };
  return { text, number, oneOf, isOn, url, address, storeUrl, share };
}

function refuse(name: string, form: string): never {
  throw new TerminalError("invalid_setting", `${name} must be ${form}`);
}

function integerOf(name: string, value: string, min: number, max: number): number {
  const parsed = Number(value);
  if (Number.isInteger(parsed) && parsed >= min && parsed <= max) return parsed;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return refuse(name, `an integer ${range}, not "${value}"`);
}

/** Without `/` at its end. */
function urlOf(name: string, value: string): string {
  const parsed = URL.parse(value);
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") {
    throw new TerminalError("invalid_setting", `${name} must begin with http:// or https://, not "${value}"`);
  }
  const plain = parsed.origin + parsed.pathname;
  return parsed.href === plain
    ? plain.replace(/\/+$/, "")
    : refuse(name, "an address without user, query and fragment");
}

/** The path of a folder, or `s3://BUCKET/PREFIX`. */
function storeUrlOf(name: string, value: string): string {
  if (/^s3:\/\/[^/]+/.test(value)) return value;
  if (value.startsWith("file:///")) return fileURLToPath(value);
  if (!value.includes("://")) return resolve(value);
  return refuse(name, `a folder, file:///FOLDER or s3://BUCKET/PREFIX, not "${value}"`);
}
