const TEXT = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS = [
  [60_000, "second", 1_000],
  [3_600_000, "minute", 60_000],
  [86_400_000, "hour", 3_600_000],
  [Number.POSITIVE_INFINITY, "day", 86_400_000],
] as const;
const NOW_MS = 10_000;

/** How long ago something was: "now", "3 minutes ago". */
export function ageText(at: string, nowMs: number): string {
  const agoMs = Math.max(0, nowMs - Date.parse(at));
  if (agoMs < NOW_MS) return "now";
  const [, unit, sizeMs] = STEPS.find(([limit]) => agoMs < limit) ?? STEPS[3];
  return TEXT.format(-Math.floor(agoMs / sizeMs), unit);
}
