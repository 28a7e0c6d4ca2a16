import { parseUuid } from "../../../types/mod.ts";
import { compare, constant, field, or } from "../../hogql/syntax/build.ts";
import type { Expression, Order } from "../../hogql/syntax/tree.ts";
import { invalidQuery } from "../../shape/errors.ts";
import { type Calendar, parseAbsolute, parseDate } from "../../time/dates.ts";
import { atMs, formatIso } from "../../time/zone.ts";
import type { EventsQuery } from "./node.ts";

/** Events of the next seconds are shown too: clocks differ. */
const AHEAD_MS = 5_000;
const DEFAULT_AFTER = "-24h";
/** As dates are written that go back from now. */
const RELATIVE = /^-?\d*[hdwmqysM](Start|End)?$/;
const CURSOR = /^(?<time>[^_]+)_(?<uuid>[^_]+)$/;

/** One end of a listing. The events of that very time do not belong to it, but for what the other members say. */
export interface End {
  at: Temporal.ZonedDateTime;
  /** Those on the near side of this uuid belong to it. */
  uuid: string | null;
  /** All of them do. */
  isWithin: boolean;
}

/** What a listing lies between; null is unbounded. */
export interface Ends {
  after: End | null;
  before: End;
}

/** Errors: TerminalError `invalid_query` that names the field. */
export function endsOf(query: Pick<EventsQuery, "after" | "before">, calendar: Calendar): Ends {
  const after = query.after ?? DEFAULT_AFTER;
  const ahead = { at: atMs(calendar.nowMs + AHEAD_MS, calendar.timezone), uuid: null, isWithin: false };
  return {
    after: after === "all" ? null : readEnd("after", after, calendar),
    before: query.before == null || query.before === "" ? ahead : readEnd("before", query.before, calendar),
  };
}

/** A date (ISO 8601, or back from now as `-7d`), or a cursor. */
function readEnd(field: "after" | "before", written: string, calendar: Calendar): End {
  const said = written.trim();
  const groups = CURSOR.exec(said)?.groups;
  const uuid = groups === undefined ? null : parseUuid(groups.uuid!);
  const time = parseAbsolute(uuid === null ? said : groups!.time!, calendar.timezone);
  if (time !== null) return { at: time, uuid, isWithin: false };
  if (RELATIVE.test(said)) return { at: parseDate(said, calendar).at, uuid: null, isWithin: false };
  const expected = "ISO 8601 (2026-01-31T10:00:00Z), a time back from now (-7d), or the cursor of another page";
  throw invalidQuery(field, `"${said.slice(0, 100)}" is no date: it must be ${expected}`);
}

/**
 * The place of an event in the order of time, as `before` and `after` read it: `2026-01-31T10:00:00.000Z_` and the uuid.
 * Of the events of that time `before` leaves those with a smaller uuid, `after` those with a larger one.
 */
export const cursorOf = (time: string, uuid: string): string => `${new Date(time).toISOString()}_${uuid}`;

/**
 * Ends that times alone can tell, for the step that finds where a page ends. Where the page begins no event of the end's
 * time counts, so that it ends rather too late; at the far end all of them do, since none comes behind them.
 */
export function withoutUuids({ after, before }: Ends, order: Order["order"]): Ends {
  const plain = (end: End, isFar: boolean): End => ({ ...end, uuid: null, isWithin: isFar && end.uuid !== null });
  return { after: after && plain(after, order === "DESC"), before: plain(before, order === "ASC") };
}

// Under the table's name: a column of SELECT may have theirs.
export const TIME: Expression = field("events", "timestamp");
export const UUID: Expression = field("events", "uuid");

export const timeOf = (at: Temporal.ZonedDateTime): Expression => constant(formatIso(at));

/** The conditions on the time and uuid of an event. Those on the time stand alone, which the files' statistics can use. */
export function endConditions({ after, before }: Ends): Expression[] {
  return [...(after === null ? [] : beyond(after, ">")), ...beyond(before, "<")];
}

function beyond(end: End, side: "<" | ">"): Expression[] {
  const at = timeOf(end.at);
  const isTime = compare(TIME, isInclusive(end) ? `${side}=` : side, at);
  if (end.uuid === null) return [isTime];
  return [isTime, or([compare(TIME, side, at), compare(UUID, side, constant(end.uuid))])];
}

const isInclusive = ({ uuid, isWithin }: End): boolean => isWithin || uuid !== null;
