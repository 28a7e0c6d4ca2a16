import type { Db } from "../../store/mod.ts";
import type { Lane } from "../../types/mod.ts";
import {
  EVERY_PROJECT,
  figuresOf,
  HEALTH_STEPS,
  type HealthFigures,
  type HealthSample,
  type HealthStep,
  lastMinuteIn,
  type Row,
} from "./history.ts";

/** The steps from one time to another, oldest first. */
export interface HealthHistory {
  stepMs: number;
  /** The beginning of the first step, and the end of the last minute that is over. */
  fromMs: number;
  untilMs: number;
  /** Null where nothing is known of a step. */
  samples: (HealthSample | null)[];
  /** Null where the figures of a step are not known. */
  figures: (HealthFigures | null)[];
}

/** The last `steps` steps that are over, of one project or (null) of all; of hours the one that is not over too. */
export async function readHealth(
  db: Db,
  teamId: number | null,
  { step, steps }: { step: HealthStep; steps: number },
): Promise<HealthHistory> {
  const stepMs = HEALTH_STEPS[step];
  const team = teamId ?? EVERY_PROJECT;
  return db.read(async (tx) => {
    const { atMs } = await lastMinuteIn(db, tx);
    const fromMs = atMs - (atMs % stepMs) - (steps - 1) * stepMs;
    const sampleRows: Row[] = await tx`
      select * from health_samples where step_ms = ${stepMs} and at_ms >= ${fromMs} and at_ms <= ${atMs} order by at_ms`;
    const rows: Row[] = await tx`
      select * from health_figures where team_id = ${team} and step_ms = ${stepMs} and at_ms <= ${atMs} and at_ms >= coalesce((
        select max(at_ms) from health_figures
        where team_id = ${team} and step_ms = ${stepMs} and at_ms <= ${fromMs}), 0) order by at_ms`;
    return {
      stepMs,
      fromMs,
      untilMs: atMs + HEALTH_STEPS.minute,
      ...filled({ stepMs, fromMs, steps }, sampleRows, rows),
    };
  });
}

/** A step without a row of its own is as the one before, where there are figures of that step at all. */
function filled(
  { stepMs, fromMs, steps }: { stepMs: number; fromMs: number; steps: number },
  samples: Row[],
  rows: Row[],
) {
  const sampleAt = new Map(samples.map((row) => [Number(row.at_ms), row]));
  const history: Pick<HealthHistory, "samples" | "figures"> = { samples: [], figures: [] };
  let last = NOTHING;
  let next = 0;
  for (let i = 0; i < steps; i++) {
    const atMs = fromMs + i * stepMs;
    let isOwn = false;
    for (; next < rows.length && Number(rows[next]!.at_ms) <= atMs; next++) {
      last = figuresOf(rows[next]!);
      isOwn = Number(rows[next]!.at_ms) === atMs;
    }
    const row = sampleAt.get(atMs);
    const sample = row === undefined ? null : readSample(row);
    history.samples.push(sample);
    history.figures.push(sample === null || sample.samples === 0 ? null : isOwn ? last : calm(last));
  }
  return history;
}

const NO_LAGS: Record<Lane, number> = { live: 0, history: 0, overflow: 0, identity: 0 };
const NOTHING: HealthFigures = {
  accepted: 0,
  queued: 0,
  stored: 0,
  duplicates: 0,
  dropped: 0,
  deadLetters: 0,
  queuedMax: 0,
  lagsMs: NO_LAGS,
};

/** The counts that still hold while nothing changes: then nothing has waited either. */
const calm = (figures: HealthFigures): HealthFigures => ({ ...figures, queuedMax: figures.queued, lagsMs: NO_LAGS });

function readSample(row: Record<string, number | string | null>): HealthSample {
  const number = (value: number | string | null | undefined) =>
    value === null || value === undefined ? null : Number(value);
  return {
    samples: Number(row.samples),
    problems: Number(row.problems),
    problem: row.problem === null ? null : String(row.problem),
    workers: number(row.workers),
    files: number(row.files),
    fileBytes: number(row.file_bytes),
    diskFreeBytes: number(row.disk_free_bytes),
  };
}
