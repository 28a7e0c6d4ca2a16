import type { Db, Fragment, Tx } from "../../store/mod.ts";
import { LANES, type Lane } from "../../types/mod.ts";
import { chunks } from "./chunks.ts";
import { catalogNowMs } from "./clock.ts";

/** How long the time is that a row of the history stands for. */
export const HEALTH_STEPS = { minute: 60_000, hour: 3_600_000 } as const;
export type HealthStep = keyof typeof HEALTH_STEPS;

/** All projects together. */
export const EVERY_PROJECT = 0;
/** The step of the newest row of each project, whose time is 0. */
const NEWEST = 0;

const COUNTS = ["accepted", "queued", "stored", "duplicates", "dropped", "deadLetters"] as const;
type Count = (typeof COUNTS)[number];

/** The counts of one project at the end of a step, and the longest queue and the highest lags within it. */
export interface HealthFigures extends Record<Count, number> {
  queuedMax: number;
  lagsMs: Record<Lane, number>;
}

/** What is known of a step whatever the project. */
export interface HealthSample {
  /** Its minutes with figures. */
  samples: number;
  /** Its minutes whose figures could not be read. */
  problems: number;
  /** Why, of the newest; a code. */
  problem: string | null;
  /** The lowest number. */
  workers: number | null;
  /** Live files at the end. */
  files: number | null;
  fileBytes: number | null;
  /** The lowest. */
  diskFreeBytes: number | null;
}

/** What is noted of a minute: the figures, or why there are none. */
export type HealthNote =
  | {
      problem: null;
      /** By project. */
      teams: ReadonlyMap<number, HealthFigures>;
      total: HealthFigures;
      machine: Pick<HealthSample, "workers" | "files" | "fileBytes" | "diskFreeBytes">;
    }
  | { problem: string };

interface Kept {
  minutesMs: number;
  hoursMs: number;
}

/** The last minute that is over. */
interface LastMinute {
  /** Its beginning, epoch milliseconds. */
  atMs: number;
  /** How long ago it ended. */
  sinceMs: number;
}

/** The last minute that is over, by the catalog's clock; `isContinued`: the one before it is written. */
export function lastMinute(db: Db): Promise<LastMinute & { isContinued: boolean }> {
  return db.read(async (tx) => {
    const last = await lastMinuteIn(db, tx);
    const before: unknown[] = await tx`
      select 1 from health_samples
      where step_ms = ${HEALTH_STEPS.minute} and at_ms = ${last.atMs - HEALTH_STEPS.minute}`;
    return { ...last, isContinued: before.length > 0 };
  });
}

/** The same within a transaction. */
export async function lastMinuteIn(db: Db, tx: Tx): Promise<LastMinute> {
  const nowMs = await catalogNowMs(db, tx);
  const sinceMs = nowMs % HEALTH_STEPS.minute;
  return { atMs: nowMs - sinceMs - HEALTH_STEPS.minute, sinceMs };
}

/**
 * Writes the figures of the minute that begins at `atMs`, and works them into its hour. False, and nothing happens, where it is
 * written already.
 */
export async function noteHealth(db: Db, atMs: number, note: HealthNote, kept: Kept): Promise<boolean> {
  return db.write(async (tx) => {
    const minute = sampleOf(note);
    const mine: unknown[] = await tx`
      insert into health_samples ${tx({ step_ms: HEALTH_STEPS.minute, at_ms: atMs, ...minute })}
      on conflict do nothing returning at_ms`;
    if (mine.length === 0) return false;
    const hourMs = atMs - (atMs % HEALTH_STEPS.hour);
    await addToHour(tx, hourMs, minute);
    if (note.problem === null) await noteFigures(tx, { atMs, hourMs }, note);
    await forgetOld(tx, atMs, kept);
    return true;
  });
}

function sampleOf(note: HealthNote) {
  const machine =
    note.problem === null ? note.machine : { workers: null, files: null, fileBytes: null, diskFreeBytes: null };
  return {
    samples: note.problem === null ? 1 : 0,
    problems: note.problem === null ? 0 : 1,
    problem: note.problem,
    workers: machine.workers,
    files: machine.files,
    file_bytes: machine.fileBytes,
    disk_free_bytes: machine.diskFreeBytes,
  };
}

async function addToHour(tx: Tx, hourMs: number, minute: ReturnType<typeof sampleOf>): Promise<void> {
  const lowest = (column: string) => tx`case
    when excluded.${tx(column)} is null or health_samples.${tx(column)} < excluded.${tx(column)}
    then health_samples.${tx(column)} else excluded.${tx(column)} end`;
  await tx`insert into health_samples ${tx({ step_ms: HEALTH_STEPS.hour, at_ms: hourMs, ...minute })}
    on conflict (step_ms, at_ms) do update set
      samples = health_samples.samples + excluded.samples,
      problems = health_samples.problems + excluded.problems,
      problem = coalesce(excluded.problem, health_samples.problem),
      workers = ${lowest("workers")}, disk_free_bytes = ${lowest("disk_free_bytes")},
      files = coalesce(excluded.files, health_samples.files),
      file_bytes = coalesce(excluded.file_bytes, health_samples.file_bytes)`;
}

export type Row = Record<string, number | string>;

async function noteFigures(
  tx: Tx,
  { atMs, hourMs }: { atMs: number; hourMs: number },
  { teams, total }: Extract<HealthNote, { problem: null }>,
): Promise<void> {
  const newest: Row[] = await tx`select * from health_figures where step_ms = ${NEWEST}`;
  const known = new Map(newest.map((row) => [Number(row.team_id), figuresOf(row)]));
  const erased: { team_id: unknown }[] = await tx`select distinct team_id from erasures where kind = 'project'`;
  const gone = new Set(erased.map(({ team_id }) => Number(team_id)));
  const changed = [[EVERY_PROJECT, total] as const, ...teams].filter(
    ([teamId, figures]) => !gone.has(teamId) && isNews(known.get(teamId), figures),
  );
  const rows = changed.map(([teamId, figures]) => ({ team_id: teamId, ...rowOf(figures) }));
  // Commits of workers wait for this: few statements, however many projects there are.
  for (const part of chunks(rows)) {
    const at = (stepMs: number, atMs: number) => part.map((row) => ({ ...row, step_ms: stepMs, at_ms: atMs }));
    await tx`insert into health_figures ${tx(at(HEALTH_STEPS.minute, atMs))}`;
    await tx`insert into health_figures ${tx(at(HEALTH_STEPS.hour, hourMs))}
      on conflict (team_id, step_ms, at_ms) do update set ${changesOf(tx, { highest: HIGHEST, last: LAST })}`;
    await tx`insert into health_figures ${tx(at(NEWEST, 0))}
      on conflict (team_id, step_ms, at_ms) do update set ${changesOf(tx, { highest: [], last: [...LAST, ...HIGHEST] })}`;
  }
}

/** Whether a row says something that the one before it does not. */
function isNews(before: HealthFigures | undefined, now: HealthFigures): boolean {
  if (before === undefined) return true;
  const lags = ({ lagsMs }: HealthFigures) => LANES.some((lane) => lagsMs[lane] > 0);
  return lags(now) || lags(before) || COUNTS.some((name) => before[name] !== now[name]);
}

const HIGHEST = ["queued_max", ...LANES.map((lane) => `${lane}_lag_ms`)];
const LAST = ["accepted", "queued", "stored", "duplicates", "dropped", "dead_letters"];

/** What a newer row changes in the one that is there. */
function changesOf(tx: Tx, { highest, last }: { highest: readonly string[]; last: readonly string[] }): Fragment {
  const changes = [
    ...last.map((column) => tx`${tx(column)} = excluded.${tx(column)}`),
    ...highest.map(
      (column) => tx`${tx(column)} = case when excluded.${tx(column)} > health_figures.${tx(column)}
        then excluded.${tx(column)} else health_figures.${tx(column)} end`,
    ),
  ];
  return changes.reduce((text, change) => tx`${text}, ${change}`);
}

/** Rows that are too old go; of each project the newest of them stays, from which the later ones differ. */
async function forgetOld(tx: Tx, atMs: number, { minutesMs, hoursMs }: Kept): Promise<void> {
  for (const [stepMs, keptMs] of [
    [HEALTH_STEPS.minute, minutesMs],
    [HEALTH_STEPS.hour, hoursMs],
  ] as const) {
    const untilMs = atMs - keptMs;
    await tx`delete from health_samples where step_ms = ${stepMs} and at_ms < ${untilMs}`;
    await tx`delete from health_figures where step_ms = ${stepMs} and at_ms < ${untilMs} and exists (
      select 1 from health_figures later where later.team_id = health_figures.team_id and later.step_ms = ${stepMs}
        and later.at_ms > health_figures.at_ms and later.at_ms < ${untilMs})`;
  }
}

function rowOf({ lagsMs, queuedMax, deadLetters, ...counts }: HealthFigures): Row {
  const lags = Object.fromEntries(LANES.map((lane) => [`${lane}_lag_ms`, lagsMs[lane]]));
  return { ...counts, dead_letters: deadLetters, queued_max: queuedMax, ...lags };
}

/** As it is stored. */
export function figuresOf(row: Row): HealthFigures {
  const lag = (lane: Lane) => Number(row[`${lane}_lag_ms`]);
  return {
    accepted: Number(row.accepted),
    queued: Number(row.queued),
    stored: Number(row.stored),
    duplicates: Number(row.duplicates),
    dropped: Number(row.dropped),
    deadLetters: Number(row.dead_letters),
    queuedMax: Number(row.queued_max),
    lagsMs: { live: lag("live"), history: lag("history"), overflow: lag("overflow"), identity: lag("identity") },
  };
}
