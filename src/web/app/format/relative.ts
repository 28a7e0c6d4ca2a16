const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];
const JUST_NOW_S = 10;

const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** "3 minutes ago", "in 2 days", "just now". An instant as ISO text, milliseconds, or a date. */
export function formatRelative(time: string | number | Date, nowMs = Date.now()): string {
  const timeMs = new Date(time).getTime();
  if (Number.isNaN(timeMs)) return String(time);
  const differenceS = (timeMs - nowMs) / 1000;
  const size = Math.abs(differenceS);
  if (size < JUST_NOW_S) return "just now";
  for (const [index, [unit, unitS]] of STEPS.entries()) {
    const count = Math.round(size / unitS);
    // "60 minutes" are an hour: what rounds up to the next unit is written in it.
    const isNext = index > 0 && count * unitS >= STEPS[index - 1]![1];
    if (isNext) return words.format(Math.sign(differenceS), STEPS[index - 1]![0]);
    if (size >= unitS) return words.format(Math.sign(differenceS) * count, unit);
  }
  return "just now";
}
