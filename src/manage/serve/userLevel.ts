import { LEVELS, type Level } from "../../metadata/mod.ts";

/** Whether a grant, or its user, has at least this level. */
export function hasLevel(of: { level: Level }, level: Level): boolean {
  return LEVELS.indexOf(of.level) >= LEVELS.indexOf(level);
}

/** The lower one of two. */
export const lowerLevel = (a: Level, b: Level): Level => (hasLevel({ level: a }, b) ? b : a);
