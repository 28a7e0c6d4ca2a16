import { isPending, type QueryJob } from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { isoTime } from "../http/reply.ts";
import { clientPauseMs, freshMs } from "./freshness.ts";
import type { Question } from "./question.ts";

/** What is said to a question: a result, that there is none in the cache, or that one is being calculated. */
export interface Answer {
  question: Question;
  /** What the query layer gave; null for none. */
  response: JsonObject | null;
  isCached: boolean;
  /** When its calculation began; null without a result. */
  computedAtMs: number | null;
  /** The calculation in the background that will replace it; null without. */
  job: QueryJob | null;
}

/** The fields about the cache that every answer carries. */
export function cacheFields({ question, computedAtMs, isCached, job }: Answer) {
  const after = (ms: number) => (computedAtMs === null ? null : isoTime(computedAtMs + ms));
  return {
    is_cached: isCached,
    last_refresh: isoTime(computedAtMs),
    cache_target_age: after(freshMs(question.source)),
    next_allowed_client_refresh: after(clientPauseMs(question.source)),
    query_status: job === null ? null : statusBody(job),
  };
}

/** The answer of the query endpoint. */
export function answerBody(answer: Answer) {
  return {
    ...answer.response,
    ...cacheFields(answer),
    cache_key: answer.question.cacheKey,
    timezone: answer.question.environment.timezone,
    calculation_trigger: null,
  };
}

/**
 * A job as clients see it; `results` is what the query endpoint would answer, `progressAtMs` the time at which its progress
 * is asked for. A failed one is complete, too.
 */
export function statusBody(job: QueryJob, o: { results?: object; progressAtMs?: number } = {}) {
  return {
    id: job.id,
    team_id: job.teamId,
    insight_id: null,
    dashboard_id: null,
    query_async: true,
    complete: !isPending(job),
    error: job.state === "failed",
    error_message: job.errorMessage,
    results: o.results ?? null,
    start_time: isoTime(job.startedAtMs),
    pickup_time: isoTime(job.pickedUpAtMs),
    end_time: isoTime(job.endedAtMs),
    expiration_time: job.endedAtMs === null ? null : isoTime(job.expiresAtMs),
    task_id: job.runId,
    query_progress: o.progressAtMs === undefined ? null : progressBody(job, o.progressAtMs),
    labels: null,
  };
}

/** How far a job is, as far as that is known: how long it runs, in milliseconds; not what it has read. */
function progressBody({ pickedUpAtMs }: QueryJob, nowMs: number) {
  return {
    time_elapsed: pickedUpAtMs === null ? 0 : Math.max(0, nowMs - pickedUpAtMs),
    bytes_read: null,
    rows_read: null,
    estimated_rows_total: null,
    active_cpu_time: null,
  };
}
