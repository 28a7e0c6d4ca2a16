import type { QueryAnswer } from "../../api/node.ts";
import { axisLabels, type Interval, placeTitle } from "../../format/date.ts";

const INTERVALS: ReadonlySet<string> = new Set(["second", "minute", "hour", "day", "week", "month", "year"]);
const isInterval = (text: string | undefined): text is Interval => text !== undefined && INTERVALS.has(text);

/** Labels of a time axis by the interval of a node, which is days where it is absent. `zone` counts for instants alone. */
export const axisOf = (places: readonly string[], interval: string | undefined, zone?: string): string[] =>
  axisLabels(places, isInterval(interval) ? interval : "day", zone);

/** The same places in full: "Fri 1 May 2026". */
export const titlesOf = (places: readonly string[], interval: string | undefined, zone?: string): string[] =>
  places.map((place) => placeTitle(place, isInterval(interval) ? interval : "day", zone));

/**
 * How many of the last places of an axis can still change: those that were not over `windowMs` before the answer was made. `days` are
 * the beginnings of the places by the clock of the project.
 */
export function openPlaces(days: readonly string[], answer: QueryAnswer, windowMs = 0): number {
  const { last_refresh: at, resolved_date_range: range, timezone } = answer;
  const end = (range as { date_to?: string } | undefined)?.date_to;
  if (at === null || end === undefined) return 0;
  const untilMs = Date.parse(at) - windowMs;
  const until = localText(untilMs, timezone);
  const isOpen = (i: number) => {
    const next = days[i + 1];
    return next === undefined ? Date.parse(end) > untilMs : fullText(next) > until;
  };
  const first = days.findIndex((_, i) => isOpen(i));
  return first < 0 ? 0 : days.length - first;
}

const DAY_MS = 86_400_000;

/**
 * A place of an axis as a question names it. An hour that the clock of a zone tells twice is named by its instant the second time: by
 * then the clock is that of the day after.
 */
export function nameOfPlace(days: readonly string[], index: number, zone: string): string | undefined {
  const day = days[index];
  if (day === undefined || days.indexOf(day) === index) return day;
  const wallMs = clockMs(day);
  return new Date(wallMs - (clockMs(localText(wallMs + DAY_MS, zone)) - wallMs - DAY_MS)).toISOString();
}

/** What a clock shows, as if it stood in UTC. */
const clockMs = (text: string): number => Date.parse(`${text.replace(" ", "T")}Z`);

const fullText = (day: string): string => (day.length > 10 ? day.replace("T", " ") : `${day} 00:00:00`);

/** "2026-05-03 14:05:09" in a zone. */
export const localText = (atMs: number, timeZone: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(atMs);
