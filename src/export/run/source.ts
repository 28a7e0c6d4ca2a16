import type { ExportSource } from "../../lake/mod.ts";
import type { BatchExport, BatchExportRun } from "../../metadata/mod.ts";
import { compileForExport, type ExportContext } from "../../query/mod.ts";
import { type JsonObject, TerminalError } from "../../types/mod.ts";
import { namesIn } from "../destinations/mod.ts";

/** Sessions last a day at most. */
const SESSION_MAX_MS = 24 * 3_600_000;

/** The columns of the sessions model. */
const SESSION_COLUMNS = [
  "session_id",
  "distinct_id",
  "$start_timestamp",
  "$end_timestamp",
  "$session_duration",
  "$urls",
  "$num_uniq_urls",
  "$entry_current_url",
  "$entry_pathname",
  "$entry_hostname",
  "$end_current_url",
  "$end_pathname",
  "$end_hostname",
  "$entry_referring_domain",
  "$entry_utm_source",
  "$entry_utm_campaign",
  "$entry_utm_medium",
  "$entry_utm_term",
  "$entry_utm_content",
  "$entry_gclid",
  "$entry_fbclid",
  "$pageview_count",
  "$autocapture_count",
  "$screen_count",
  "$is_bounce",
];

export interface SourceNeeds {
  /** What queries of a project know. */
  contextOf(teamId: number): Promise<ExportContext>;
  /** The times of the events that were accepted in the interval; null where there are none. */
  timesOf(teamId: number, interval: { fromMs: number | null; toMs: number }): Promise<Times | null>;
}

interface Times {
  firstMs: number;
  lastMs: number;
}

/** What a run reads; null where there is nothing. Errors: TerminalError `invalid_hogql`, `invalid_query`, `not_exportable`. */
export async function sourceOf(
  item: BatchExport,
  run: Pick<BatchExportRun, "fromMs" | "toMs">,
  needs: SourceNeeds,
): Promise<ExportSource | null> {
  const { fromMs, toMs } = run;
  const interval = { fromMs, toMs };
  const { config } = item.destination;
  const include = namesIn(config, "include_events") ?? [];
  const exclude = namesIn(config, "exclude_events") ?? [];
  switch (item.model) {
    case "events":
      return { model: "events", ...interval, include, exclude };
    case "persons":
      return { model: "persons", ...interval };
    case "sessions": {
      const times = await needs.timesOf(item.teamId, interval);
      return times === null ? null : statement(sessionsQuery(interval, times), item, needs);
    }
    case "hogql":
      return statement({ query: item.hogqlQuery ?? "", values: intervalValues(interval) }, item, needs);
    default:
      throw new TerminalError("not_exportable", `There is no model "${item.model}".`);
  }
}

async function statement(
  query: { query: string; values: JsonObject },
  item: BatchExport,
  needs: SourceNeeds,
): Promise<ExportSource> {
  const node = { kind: "HogQLQuery", ...query };
  return { model: "statement", ...(await compileForExport(node, await needs.contextOf(item.teamId))) };
}

/** What a query may say of its interval: `{data_interval_start}` and `{data_interval_end}`, texts in UTC. */
function intervalValues({ fromMs, toMs }: { fromMs: number | null; toMs: number }): JsonObject {
  return { data_interval_start: timeText(fromMs ?? 0), data_interval_end: timeText(toMs) };
}

const timeText = (ms: number): string => new Date(ms).toISOString();

/** Sessions that have an event that was accepted in the interval, as they are now: of two rows of one the later run's is right. */
function sessionsQuery(interval: { fromMs: number | null; toMs: number }, { firstMs, lastMs }: Times) {
  const query = `SELECT ${SESSION_COLUMNS.join(", ")} FROM sessions
    WHERE $start_timestamp >= toDateTime64({first}, 3, 'UTC') AND $start_timestamp <= toDateTime64({last}, 3, 'UTC')
      AND session_id IN (SELECT properties.$session_id FROM events
        WHERE created_at >= toDateTime64({data_interval_start}, 3, 'UTC') AND created_at < toDateTime64({data_interval_end}, 3, 'UTC')
          AND timestamp >= toDateTime64({first}, 3, 'UTC') AND timestamp <= toDateTime64({last}, 3, 'UTC'))`;
  const first = timeText(firstMs - SESSION_MAX_MS);
  return { query, values: { ...intervalValues(interval), first, last: timeText(lastMs) } };
}
