import { axisLabels, type Interval } from "../../format/date.ts";

const INTERVALS: ReadonlySet<string> = new Set(["second", "minute", "hour", "day", "week", "month", "year"]);
const isInterval = (text: string | undefined): text is Interval => text !== undefined && INTERVALS.has(text);

/** Labels of a time axis by the interval of a node, which is days where it is absent. `zone` counts for instants alone. */
export const axisOf = (places: readonly string[], interval: string | undefined, zone?: string): string[] =>
  axisLabels(places, isInterval(interval) ? interval : "day", zone);
