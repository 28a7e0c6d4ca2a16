import type { Part, Series } from "../../../src/web/app/charts/types.ts";
import { axisLabels, placeTitle } from "../../../src/web/app/format/date.ts";

/** The same numbers at each run. */
export function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 3, 20);

export function days(count: number): string[] {
  return Array.from({ length: count }, (_, index) => new Date(START_MS + index * DAY_MS).toISOString().slice(0, 10));
}

export const dayAxis = (count: number) => axisLabels(days(count), "day");
export const dayTitles = (count: number) => days(count).map((day) => placeTitle(day, "day"));

/** Weeks of visits: fewer at weekends, growing. */
export function visits(count: number, { base, seed }: { base: number; seed: number }): number[] {
  const next = numbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const isWeekend = [5, 6].includes(index % 7);
    return Math.round(base * (1 + index / count) * (isWeekend ? 0.6 : 1) * (0.85 + 0.3 * next()));
  });
}

export function seriesOf(values: readonly (readonly (number | null)[])[], labels: readonly string[] = []): Series[] {
  return values.map((one, index) => ({
    key: `s${index}`,
    label: labels[index] ?? `Series ${index + 1}`,
    values: one,
    color: index,
  }));
}

export function partsOf(values: readonly number[], labels: readonly string[]): Part[] {
  return values.map((value, index) => ({
    key: `p${index}`,
    label: labels[index] ?? `Part ${index + 1}`,
    value,
    color: index,
  }));
}

export const BROWSERS = ["Chrome", "Safari", "Firefox", "Edge", "Samsung Internet", "Opera", "None", "Other"];
export const LONG = Array.from({ length: 25 }, (_, line) => `line ${line + 1} of a name that someone sent`).join("\n");
export const RIGHT_TO_LEFT = "الصفحة الرئيسية للمتجر";
export const HOSTILE = `<img src=x onerror="alert(1)">\u202Egnp.exe`;
