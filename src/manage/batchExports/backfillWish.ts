import { boundaryOn, boundaryUpTo, countIntervals, isOfCalendar } from "../../export/mod.ts";
import { addBackfill, type BatchExport, countOpenBackfills, type Environment, holdRow } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { ApiError, invalidField } from "../http/errors.ts";

/** Backfills of one environment that run at a time. */
const OPEN_MAX = 10;
/** Runs of one backfill: a leap year of five minutes, and a bit. */
const RUNS_MAX = 110_000;
/** A broker's clock may be behind that of the machine which made the project. */
const CLOCKS_APART_MS = 60_000;

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * An end of a backfill as a client names it: a date for days and weeks, else a time with its zone; null for none. Epoch milliseconds.
 * Throws ApiError 400.
 */
export function readEnd(input: unknown, item: BatchExport): number | null {
  if (input === null || input === undefined) return null;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  if (isOfCalendar(item.interval)) return startOf(text, item);
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || !/^\d{4}-\d\d-\d\d/.test(text))
    throw invalid(`Input ${text} is not a valid ISO formatted datetime.`);
  if (!/T.*(Z|[+-]\d\d:?\d\d)$/i.test(text)) throw invalid(`Input ${text} is naive.`);
  return ms;
}

function startOf(text: string, item: BatchExport): number {
  const date = dateIn(text);
  if (date === null) {
    const hint = /^\d{4}-\d\d-\d\d[T ]/.test(text)
      ? " Daily or weekly batch export backfills expect only the date component, but a time was included."
      : "";
    throw invalid(`Input '${text}' is not a valid ISO formatted date.${hint}`);
  }
  const expected = item.offsetDay ?? 0;
  if (item.interval === "week" && date.dayOfWeek % 7 !== expected) {
    throw invalid(
      `Input ${text} is not on the correct day of the week for this batch export. ${text} is a ${DAYS[date.dayOfWeek % 7]} but this batch export is configured to run weekly on ${DAYS[expected]}.`,
    );
  }
  return boundaryOn(date, item);
}

function dateIn(text: string): Temporal.PlainDate | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    return null;
  }
}

/** What a backfill goes over. */
export interface BackfillRange {
  startMs: number | null;
  endMs: number | null;
  /** In one run. */
  isWhole: boolean;
}

/**
 * Makes a backfill; gives its id. Intervals before the one that the project was made in hold nothing, but for a query: they are left
 * out, and where none is left the backfill is complete. Throws ApiError 400, and 429 where too many run.
 */
export async function makeBackfill(
  tx: Tx,
  item: BatchExport,
  { startMs, endMs, isWhole }: BackfillRange,
  { environment, nowMs }: { environment: Environment; nowMs: number },
): Promise<string> {
  if (startMs !== null && endMs !== null && startMs >= endMs) {
    throw invalid("The initial backfill datetime 'start_at' must be before 'end_at'");
  }
  if (endMs !== null && endMs > nowMs) {
    throw invalid(`The provided 'end_at' (${new Date(endMs).toISOString()}) is in the future`);
  }
  // What the schedule has still to do is left to it.
  const uptoMs = endMs ?? item.nextFromMs ?? nowMs;
  if (startMs !== null && startMs >= uptoMs)
    throw invalid("There is no interval to backfill between 'start_at' and now.");
  // Two that make the last one at once must not both find room.
  await holdRow(tx, "environments", item.teamId);
  if ((await countOpenBackfills(tx, item.teamId)) >= OPEN_MAX) {
    const detail = `This team already has ${OPEN_MAX} batch export backfills running. Wait for some to finish or cancel them before creating more.`;
    throw new ApiError(429, "throttled_error", "too_many_concurrent_backfills", detail);
  }
  const isOneRun = startMs === null || isWhole;
  // A query may ask for any time.
  const isLeftOut = !isOneRun && item.model !== "hogql";
  const earliestMs = boundaryUpTo(environment.createdAtMs - CLOCKS_APART_MS, item);
  const nextFromMs = isLeftOut ? Math.max(startMs, earliestMs) : startMs;
  const totalRuns = isOneRun ? 1 : countIntervals(nextFromMs!, uptoMs, item);
  if (totalRuns > RUNS_MAX) {
    throw invalid(
      `A backfill has at most ${RUNS_MAX} runs, and this one would have ${totalRuns}: ask for a later 'start_at' or an earlier 'end_at', or leave 'start_at' out to have all in one run.`,
    );
  }
  const id = crypto.randomUUID();
  const range = { startAtMs: startMs, endAtMs: endMs, uptoMs, isWhole, nextFromMs };
  await addBackfill(tx, { id, exportId: item.id, teamId: item.teamId, ...range, totalRuns, createdAtMs: nowMs });
  return id;
}

const invalid = (detail: string) => invalidField(null, "invalid_input", detail);
