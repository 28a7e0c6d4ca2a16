import { Type } from "@sinclair/typebox";
import {
  type BatchExport,
  type BatchExportBackfill,
  type BatchExportLog,
  type BatchExportRun,
  RUN_STATUSES,
} from "../../metadata/mod.ts";
import { anyObject, anything, integer, nullable, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { isoTime } from "../http/reply.ts";
import { always, shape } from "../resource/shape.ts";

const STATUS = oneOf(RUN_STATUSES);

export const RUN = shape<BatchExportRun>("BatchExportRun", {
  id: UUID,
  status: STATUS,
  records_completed: nullable(integer("Rows that were handed over so far.")),
  records_failed: nullable(integer()),
  latest_error: nullable(text("Why the last try failed.")),
  data_interval_start: [nullable(TIME), ({ fromMs }) => isoTime(fromMs)],
  data_interval_end: [TIME, "toMs"],
  cursor: always(null),
  created_at: TIME,
  finished_at: nullable(TIME),
  last_updated_at: TIME,
  records_total_count: [nullable(integer()), "recordsTotal"],
  bytes_exported: [nullable(integer()), "bytes"],
  batch_export: [UUID, "exportId"],
  backfill: [nullable(UUID), "backfillId"],
});

/** How an export is shown, with its newest runs. */
export interface WithRuns {
  runs: ReadonlyMap<string, readonly BatchExportRun[]>;
}

export const EXPORT = shape<BatchExport, WithRuns>("BatchExport", {
  id: UUID,
  team_id: integer(),
  name: text(),
  model: text("`events`, `persons`, `sessions` or `hogql`."),
  destination: [
    Type.Object({ type: text(), config: anyObject("Without what is secret."), integration: Type.Null() }),
    ({ destination: { type, config } }) => ({ type, config, integration: null }),
  ],
  interval: nullable(text()),
  paused: Type.Boolean(),
  created_at: TIME,
  last_updated_at: TIME,
  last_paused_at: nullable(TIME),
  start_at: nullable(TIME),
  end_at: nullable(TIME),
  latest_runs: [Type.Array(RUN.schema), ({ id }, { runs }) => (runs.get(id) ?? []).map((run) => RUN.show(run, null))],
  hogql_query: nullable(text()),
  hogql_modifiers: [anything(), ({ options }) => options.hogql_modifiers ?? null],
  primary_key: [anything(), ({ options }) => options.primary_key ?? null],
  version_key: [anything(), ({ options }) => options.version_key ?? null],
  incremental_mode: [anything(), ({ options }) => options.incremental_mode ?? null],
  schema: always(null),
  filters: anything(),
  timezone: text(),
  offset_day: nullable(integer("0: Sunday.")),
  offset_hour: nullable(integer()),
});

/** A backfill with its progress. */
export interface SeenBackfill extends BatchExportBackfill {
  finishedRuns: number;
  /** Where it begins in place of `startAtMs`, which holds nothing; else null. */
  adjustedStartAtMs: number | null;
}

export const BACKFILL = shape<SeenBackfill>("BatchExportBackfill", {
  id: UUID,
  progress: [
    nullable(
      Type.Object({
        total_runs: nullable(integer()),
        finished_runs: nullable(integer()),
        progress: nullable(Type.Number()),
      }),
    ),
    progressOf,
  ],
  start_at: nullable(TIME),
  end_at: nullable(TIME),
  status: STATUS,
  created_at: TIME,
  finished_at: nullable(TIME),
  last_updated_at: TIME,
  total_records_count: always(null),
  adjusted_start_at: nullable(TIME),
  team: [integer(), "teamId"],
  batch_export: [UUID, "exportId"],
});

function progressOf({ status, totalRuns, finishedRuns, startAtMs }: SeenBackfill) {
  if (status === "Completed") return { total_runs: totalRuns, finished_runs: totalRuns, progress: 1 };
  const isOpen = status === "Starting" || status === "Running";
  if (!isOpen || totalRuns === null || startAtMs === null) return null;
  const total = Math.max(totalRuns, finishedRuns);
  return { total_runs: total, finished_runs: finishedRuns, progress: Math.round((finishedRuns / total) * 10) / 10 };
}

export const LOG = shape<BatchExportLog>("BatchExportLog", {
  log_source: always("batch_exports"),
  log_source_id: [UUID, "exportId"],
  instance_id: [UUID, "runId"],
  timestamp: [TIME, "atMs"],
  level: text("`debug`, `info`, `warn` or `error`."),
  message: text(),
});
