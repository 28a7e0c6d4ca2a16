import { formatDate, placeTitle } from "../../../format/date.ts";
import type { EventRow } from "./eventRow.ts";

/** The events of a day, in their order. */
export interface Day {
  /** Tells it from other days. */
  day: string;
  /** "Fri 1 May 2026". */
  title: string;
  events: readonly EventRow[];
}

/** Events by the days of a time zone. Those of a day stand together already. */
export function daysOf(events: readonly EventRow[], zone: string): readonly Day[] {
  const days: { day: string; title: string; events: EventRow[] }[] = [];
  for (const event of events) {
    const day = formatDate(event.at, zone);
    const last = days.at(-1);
    if (last?.day === day) last.events.push(event);
    else days.push({ day, title: titleOf(event.at, zone), events: [event] });
  }
  return days;
}

const titleOf = (at: string, zone: string): string => placeTitle(at, "hour", zone).replace(/, \d\d:\d\d$/, "");

/** "10:05:07". */
export function timeOf(at: string, zone: string): string {
  return placeTitle(at, "second", zone).slice(-"00:00:00".length);
}
