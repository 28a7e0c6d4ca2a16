import type { StatementProgress } from "../../lake/mod.ts";
import { isPending, maskSecretsIn, type QueryJob } from "../../metadata/mod.ts";
import type { JsonText } from "../http/longList.ts";
import { isoTime } from "../http/reply.ts";
import type { Question } from "./question.ts";

/** What is said to a question: a result, that there is none in the cache, or that one is being calculated. */
export interface Answer {
  question: Question;
  /** What the query layer gave, as it is sent; null for none. */
  text: JsonText | null;
  isCached: boolean;
  /** When its calculation began; null without a result. */
  computedAtMs: number | null;
  /** The calculation in the background that will replace it, or that failed; null without. */
  job: QueryJob | null;
}

/** The answer to a question that could not be calculated, beside the answers to others of the same request. Its status is told once. */
export function failedAnswer(question: Question, errorMessage: string, atMs: number): Answer {
  const job: QueryJob = {
    teamId: question.environment.id,
    id: question.cacheKey,
    runId: crypto.randomUUID(),
    cacheKey: question.cacheKey,
    question: "",
    state: "failed",
    errorMessage,
    startedAtMs: atMs,
    pickedUpAtMs: atMs,
    endedAtMs: atMs,
    expiresAtMs: atMs,
    attempts: 1,
    askers: 1,
    users: [],
  };
  return { question, text: null, isCached: false, computedAtMs: null, job };
}

/** The fields about the cache that every answer carries. */
export function cacheFields({ question, computedAtMs, isCached, job }: Answer) {
  const { freshMs, clientPauseMs } = question.query.ages;
  const after = (ms: number) => (computedAtMs === null ? null : isoTime(computedAtMs + ms));
  return {
    is_cached: isCached,
    last_refresh: isoTime(computedAtMs),
    cache_target_age: after(freshMs),
    next_allowed_client_refresh: after(clientPauseMs),
    query_status: job === null ? null : statusBody(job),
  };
}

/** The answer of the query endpoint. */
export function answerBody(answer: Answer): object {
  const { question, text } = answer;
  const front = {
    ...cacheFields(answer),
    cache_key: question.cacheKey,
    timezone: question.environment.timezone,
    calculation_trigger: null,
  };
  return text?.behind(front) ?? front;
}

/**
 * A job as clients see it; `results` is what the query endpoint would answer, `progress` what is known of one that runs.
 * A failed one is complete, too.
 */
export function statusBody(job: QueryJob, o: { results?: object; progress?: Progress } = {}) {
  return {
    id: job.id,
    team_id: job.teamId,
    insight_id: null,
    dashboard_id: null,
    query_async: true,
    complete: !isPending(job),
    error: job.state === "failed",
    error_message: job.errorMessage === null ? null : maskSecretsIn(job.errorMessage),
    results: o.results ?? null,
    start_time: isoTime(job.startedAtMs),
    pickup_time: isoTime(job.pickedUpAtMs),
    end_time: isoTime(job.endedAtMs),
    expiration_time: job.endedAtMs === null ? null : isoTime(job.expiresAtMs),
    task_id: job.runId,
    query_progress: o.progress === undefined ? null : progressBody(job, o.progress),
    labels: null,
  };
}

/** The status of an answer that tells of nothing but a failed job. */
export function failedStatus({ errorMessage }: QueryJob): 400 | 500 {
  return errorMessage === null ? 500 : 400;
}

/** How far a job is at a time; `statement` is null where nothing is known of what it has read. */
interface Progress {
  atMs: number;
  statement: StatementProgress | null;
}

/** How long it runs, in milliseconds, and the rows of its statement as the engine counts them. Bytes and processor time nobody counts. */
function progressBody({ pickedUpAtMs }: QueryJob, { atMs, statement }: Progress) {
  return {
    time_elapsed: pickedUpAtMs === null ? 0 : Math.max(0, atMs - pickedUpAtMs),
    bytes_read: null,
    rows_read: statement?.rowsRead ?? null,
    estimated_rows_total: statement?.rowsTotal ?? null,
    active_cpu_time: null,
  };
}
