import { uuidOf } from "../uuid.ts";

const MAX_MS = 2 ** 48 - 1;

/**
 * The id of a session that began at `startMs`: laid out as a uuid of version 7, with the time in front and the rest made of `parts`, so it sorts by
 * time and is the same for all rows of the session. Null where the time does not fit.
 */
export function sessionIdOf(startMs: number, ...parts: readonly (string | number)[]): string | null {
  const whole = Math.floor(startMs);
  if (!(whole > 0 && whole <= MAX_MS)) return null;
  const time = whole.toString(16).padStart(12, "0");
  const rest = uuidOf("weir/session", ...parts, whole).slice(15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest}`;
}
