const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
] as const;

/** How long ago something was: "now", "5 min", "3 h", "2 d". */
export function formatAge(ms: number): string {
  for (const [size, unit] of UNITS) if (ms >= size) return `${Math.floor(ms / size)} ${unit}`;
  return "now";
}
