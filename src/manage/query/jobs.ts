import type { Config } from "../../config.ts";
import {
  dropJob,
  type Environment,
  endJob,
  findCachedResults,
  findEnvironment,
  findJob,
  hasStarvedJobs,
  isPending,
  type JobRun,
  type JobTaker,
  joinJob,
  type QueryJob,
  startJob,
  takeJob,
} from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import type { Task, TaskOutcome, WorkQueue } from "../../stream/mod.ts";
import { describeError, RetryableError } from "../../types/mod.ts";
import { knownFailure, notFound } from "../http/errors.ts";
import { answerBody, failedStatus, statusBody } from "./answer.ts";
import type { Calculator } from "./calculator.ts";
import { type Cancels, unknownQuery } from "./cancels.ts";
import { type Question, type QuestionCaller, questionOf } from "./question.ts";
import { readQuestion, writtenQuestion } from "./writtenQuestion.ts";

/** What is known of a job is kept for so long after its end; one that never ends is forgotten after as long. */
export const JOB_KEPT_MS = 600_000;
/** A job that no process took by then is handed on again: its maker may have died before it could. */
const HAND_ON_AGAIN_MS = 5_000;
/** A job under which so many processes died is not tried again. */
const MAX_ATTEMPTS = 3;
const RETRY_PAUSE_MS = 1_000;
/** So often a task is left to the process that has the files of the project near; it may have died. */
const LEFT_MOST = 3;
const LEFT_PAUSE_MS = 20;

interface JobsParts {
  config: Pick<Config, "backgroundProjectMax">;
  db: Db;
  queue: Pick<WorkQueue, "put">;
  calculator: Calculator;
  cancels: Cancels;
  now(): number;
  log(line: string): void;
}

/** A job in hand. */
interface Work {
  job: QueryJob;
  environment: Environment;
}

const DONE: TaskOutcome = { kind: "done" };

/** What stands in a task of the work queue. */
interface Turn {
  taskId: string;
}

/**
 * Calculations in the background. Their state is in the record store, where every process can read it, and so is whose turn it
 * is: projects alternate. A task of the work queue says only that a job is to be done, and goes to another process when the one
 * that had it died.
 */
export class Jobs {
  /** This process, for the others. */
  private readonly worker = crypto.randomUUID();

  constructor(private readonly parts: JobsParts) {}

  /** Whether a project waits of which nothing runs. */
  hasStarved(): Promise<boolean> {
    return this.parts.db.read((tx) => hasStarvedJobs(tx, this.parts.now()));
  }

  /**
   * Begins a calculation, or joins that of this id which is under way. Throws RetryableError when there is no broker, or too much of the
   * project waits; ApiError 400 for the id of somebody else.
   */
  async begin(question: Question, id: string, caller: QuestionCaller): Promise<QueryJob> {
    const { config, db, now } = this.parts;
    const startedAtMs = now();
    const run: JobRun = { teamId: question.environment.id, id, runId: crypto.randomUUID() };
    const job = await db.write((tx) =>
      startJob(
        tx,
        {
          ...run,
          cacheKey: question.cacheKey,
          question: writtenQuestion(question),
          startedAtMs,
          expiresAtMs: startedAtMs + JOB_KEPT_MS,
          userId: userOf(caller),
        },
        config.backgroundProjectMax,
      ),
    );
    const isMine = job.runId === run.runId;
    if (isMine || isLeftBehind(job, startedAtMs)) {
      await this.handOn(job).catch(async (error) => {
        if (isMine) await db.write((tx) => dropJob(tx, run));
        throw error;
      });
    }
    return job;
  }

  /** One more asks for a calculation, which then goes on until each of them has ended it. Null where it was ended. */
  async join(run: JobRun, caller: QuestionCaller): Promise<QueryJob | null> {
    const job = await this.parts.db.write((tx) => joinJob(tx, run, userOf(caller)));
    if (job !== null && isLeftBehind(job, this.parts.now())) await this.handOn(job);
    return job;
  }

  private handOn({ runId }: JobRun): Promise<void> {
    return this.parts.queue.put(runId, JSON.stringify({ taskId: runId } satisfies Turn));
  }

  /**
   * Does the job whose turn it is; again after the death of the process that had it. `onlyStarved`: only one of a project of which
   * nothing runs.
   */
  async run(task: Task, { onlyStarved = false } = {}): Promise<TaskOutcome> {
    const { taskId } = JSON.parse(task.payload) as Turn;
    // From before the look at the job: an order that comes between the two must not be missed.
    const sinceMs = this.parts.now();
    const leaves = !onlyStarved && task.deliveries <= LEFT_MOST;
    const work = await this.open({ taskId, onlyStarved, leaves });
    if (work === "left") return { kind: "again", pauseMs: LEFT_PAUSE_MS };
    if (work === "none") return onlyStarved ? { kind: "again", pauseMs: LEFT_PAUSE_MS } : DONE;
    const run: JobRun = work.job;
    const { attempts } = work.job;
    if (attempts > MAX_ATTEMPTS) {
      const { cacheKey } = work.job;
      const errorMessage = `The query was given up after ${MAX_ATTEMPTS} attempts.`;
      await this.end(run, { state: "failed", errorMessage, cacheKey });
      return DONE;
    }
    const question = questionOfJob(work.job, work.environment, this.parts.now());
    const { cacheKey } = question;
    try {
      const { calculator, cancels } = this.parts;
      await cancels.during({ teamId: run.teamId, id: run.runId, sinceMs }, (signal) =>
        calculator.calculate(question, signal),
      );
      await this.end(run, { state: "done", errorMessage: null, cacheKey });
    } catch (error) {
      if (error instanceof RetryableError && attempts < MAX_ATTEMPTS) {
        this.parts.log(`query ${run.id} is tried again: ${error.message}`);
        return { kind: "again", pauseMs: RETRY_PAUSE_MS };
      }
      const known = knownFailure(error);
      const isOurs = known === null || known.status === 500;
      if (isOurs) this.parts.log(`query ${run.id} failed: ${describeError(error)}`);
      await this.end(run, { state: "failed", errorMessage: isOurs ? null : known.detail, cacheKey });
    }
    return DONE;
  }

  /** `none` where nothing is to be done: cancelled, or done by another task; `left` where another process is to do it. */
  private open(task: Omit<JobTaker, "worker" | "nowMs">): Promise<Work | "none" | "left"> {
    const { db, now } = this.parts;
    return db.write(async (tx) => {
      for (;;) {
        const taken = await takeJob(tx, { ...task, worker: this.worker, nowMs: now() });
        if (typeof taken === "string") return taken;
        const { job } = taken;
        const environment = await findEnvironment(tx, job.teamId);
        if (environment !== null) return { job, environment };
        await dropJob(tx, job);
      }
    });
  }

  private async end(
    run: JobRun,
    outcome: { state: "done" | "failed"; errorMessage: string | null; cacheKey: string },
  ): Promise<void> {
    const endedAtMs = this.parts.now();
    const o = { ...outcome, endedAtMs, expiresAtMs: endedAtMs + JOB_KEPT_MS };
    await this.parts.db.write((tx) => endJob(tx, run, o));
  }

  /** What a client is told of a job, with the result in it once it is there. Throws ApiError 404. */
  async poll(
    teamId: number,
    id: string,
    o: { caller: QuestionCaller; showsProgress?: boolean },
  ): Promise<{ status: number; body: object }> {
    const { db, calculator, now } = this.parts;
    const { job, cached, environment } = await db.read(async (tx) => {
      const job = await findJob(tx, teamId, id, now());
      const keys = job?.state === "done" ? [job.cacheKey] : [];
      const cached = [...(await findCachedResults(tx, teamId, keys)).values()][0];
      return { job, cached, environment: await findEnvironment(tx, teamId) };
    });
    if (job === null || environment === null || !mayPoll(job, environment, o.caller))
      throw unknownQuery({ teamId, id });
    if (isPending(job)) {
      const progress = { atMs: now(), statement: calculator.progressOf(job.cacheKey) };
      return { status: 202, body: { query_status: statusBody(job, o.showsProgress ? { progress } : {}) } };
    }
    if (job.state === "failed") {
      return { status: failedStatus(job), body: { query_status: statusBody(job) } };
    }
    const kept = cached === undefined ? null : calculator.kept(cached, teamId);
    if (kept === null) throw notFound(`The result of query ${id} is not kept any more.`);
    const question = { ...questionOfJob(job, environment, now()), cacheKey: job.cacheKey };
    const results = answerBody({ ...kept, question, isCached: true, job: null });
    return { status: 200, body: { query_status: statusBody(job, { results }) } };
  }
}

const isLeftBehind = ({ state, startedAtMs }: QueryJob, nowMs: number): boolean =>
  state === "queued" && nowMs - startedAtMs > HAND_ON_AGAIN_MS;

const questionOfJob = (job: QueryJob, environment: Environment, nowMs: number): Question =>
  readQuestion(job.question, environment, nowMs);

const userOf = (caller: QuestionCaller): number | null => caller?.user?.id ?? null;

/** Whether a job has an answer for this caller: one that asked for it, and may still name what it names. */
function mayPoll(job: QueryJob, environment: Environment, caller: QuestionCaller): boolean {
  if (!job.users.some((id) => id === caller?.user?.id)) return false;
  const asked = questionOfJob(job, environment, 0);
  const own = questionOf(environment, asked.query.node, { ...asked, caller });
  const { cohorts, actions } = own.nameable;
  return (cohorts === null && actions === null) || own.cacheKey === asked.cacheKey;
}
