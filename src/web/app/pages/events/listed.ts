import { call } from "../../api/client.ts";
import type { Page } from "../../api/page.ts";
import type { DateRange } from "../../question/types.ts";
import type { EventRow } from "../parts/events/eventRow.ts";
import { EVENT_COLUMNS, eventRows, kindOf, rowOf } from "../parts/events/eventRows.ts";
import type { Shown } from "./shown.ts";

/** An event as this page lists it. */
export interface ListedEvent extends EventRow {
  /** When it was accepted; ISO 8601. */
  cameAt: string;
  /** Of the columns that were chosen, as texts; null where it has none. */
  values: readonly (string | null)[];
}

/** What came. */
export interface LiveAnswer {
  cursor: string;
  /** The last first. */
  events: readonly ListedEvent[];
  /** How many came; more than `events` where there are too many to be listed. */
  count: number;
  /** Events that came and cannot be told any more; nothing else is told then. */
  missed: number;
}

const PAGE = 100;

/** What was stored since a cursor; without one, the newest events. Throws ApiError. */
export async function loadLive(
  projectId: number,
  shown: Shown,
  { since, limit }: { since: string | null; limit: number },
  signal: AbortSignal,
): Promise<LiveAnswer> {
  const { cursor, results, count, missed } = await call("GET /api/environments/{project_id}/events/live/", {
    params: { project_id: String(projectId) },
    query: { ...conditionsOf(shown), select: JSON.stringify(selectOf(shown)), since: since ?? undefined, limit },
    signal,
  });
  return { cursor, events: (results as unknown[][]).map(listedOf), count, missed };
}

/** A page of the events of a time, the newest first. Throws ApiError. */
export async function loadPast(
  projectId: number,
  shown: Shown & { past: DateRange },
  before: string | null,
  signal: AbortSignal,
): Promise<Page<ListedEvent, string>> {
  const { date_from: from, date_to: to } = shown.past;
  const asked = { ...conditionsOf(shown), select: selectOf(shown), orderBy: "timestamp DESC", limit: PAGE };
  const ends = { after: from ?? undefined, before: before ?? endOf(to ?? null) };
  const { rows, next } = await eventRows(projectId, { ...asked, ...ends }, signal);
  return { items: rows.map(listedOf), next };
}

/** A range ends with its last day, a list before a time. */
function endOf(date: string | null): string | null {
  return date !== null && /^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T23:59:59.999999` : date;
}

function conditionsOf({ entity, filters }: Shown): { event?: string; action_id?: string; properties?: string } {
  return { ...kindOf(entity), ...(filters.length > 0 && { properties: JSON.stringify(filters) }) };
}

const selectOf = ({ columns }: Shown): readonly string[] => [
  ...EVENT_COLUMNS,
  "created_at",
  ...columns.map((key) => `properties.${quoted(key)}`),
];

/** A name as HogQL has it. */
const quoted = (name: string): string => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "``")}\``;

function listedOf(cells: unknown[]): ListedEvent {
  const [cameAt, ...values] = cells.slice(EVENT_COLUMNS.length);
  return { ...rowOf(cells), cameAt: new Date(String(cameAt)).toISOString(), values: values.map(textOf) };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
