import type { Config } from "../../config.ts";
import {
  type CohortTask,
  type Environment,
  endCohortCount,
  findEnvironment,
  takeDueCohort,
  teamsWithDueCohorts,
} from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError, ProjectTurns, RetryableError, repeat } from "../../types/mod.ts";
import type { Calculator } from "../query/calculator.ts";

/** A count is made again after this long, or after so many times what it took: no cohort takes more than its share. */
const RECOUNT_MS = 30 * 60_000;
const RECOUNT_TIMES = 20;
/** After a failure, the first time; it doubles with each further one. */
const RETRY_MS = 60_000;
const RETRY_MAX_MS = 24 * 3_600_000;
/** A process that was busy for longer than a query may take has died. */
const CLAIM_MARGIN_MS = 30_000;
/** The pause where nothing is due. */
const LOOK_MS = 2_000;

interface CountParts {
  config: Pick<Config, "queryTimeoutMs">;
  db: Db;
  calculator: Pick<Calculator, "look">;
  /** Epoch milliseconds. */
  now(): number;
  log(line: string): void;
}

/**
 * Counts the persons of cohorts by filters in the background: what was saved at once, all others from time to time. One at a
 * time, projects in turns, each within the limits of a query.
 */
export class CohortCounts {
  private readonly turns = new ProjectTurns();

  constructor(private readonly parts: CountParts) {}

  /** Counts until it is stopped. `stop` ends the calculation in hand, which is done again after its claim. */
  start(): { stop(): Promise<void> } {
    const log = (line: string) => this.parts.log(`cohorts were not counted: ${line}`);
    return { stop: repeat((signal) => this.step(signal), log, LOOK_MS) };
  }

  /** Counts one cohort that is due; false where none is. */
  async step(signal = new AbortController().signal): Promise<boolean> {
    const { config, db, now } = this.parts;
    const nowMs = now();
    const teamId = this.turns.next(await db.read((tx) => teamsWithDueCohorts(tx, nowMs)));
    if (teamId === null) return false;
    const ttlMs = config.queryTimeoutMs + CLAIM_MARGIN_MS;
    const task = await db.write((tx) => takeDueCohort(tx, teamId, { nowMs, ttlMs }));
    if (task !== null) await this.count(task, signal);
    return true;
  }

  private async count(task: CohortTask, signal: AbortSignal): Promise<void> {
    const { db, now } = this.parts;
    const startedAtMs = now();
    const environment = await db.read((tx) => findEnvironment(tx, task.teamId));
    const outcome =
      environment === null ? NEVER : await this.countIn(environment, task, { nowMs: startedAtMs, signal });
    await db.write((tx) => endCohortCount(tx, task, outcome));
  }

  private async countIn(
    environment: Environment,
    { id, errors }: CohortTask,
    { nowMs, signal }: { nowMs: number; signal: AbortSignal },
  ) {
    const { calculator, now, log } = this.parts;
    const node = { kind: "HogQLQuery", query: `SELECT count() FROM persons WHERE id IN COHORT ${id}` };
    try {
      const { results } = await calculator.look({ environment, caller: null, nowMs, request: { signal } }, node);
      const [[count]] = results as [[number]];
      const tookMs = now() - nowMs;
      const dueAtMs = now() + Math.max(RECOUNT_MS, RECOUNT_TIMES * tookMs);
      return { counted: { count: Number(count), atMs: nowMs }, isFailure: false, dueAtMs };
    } catch (error) {
      const isFailure = !(error instanceof RetryableError) && !signal.aborted;
      if (isFailure) log(`cohort ${id} of project ${environment.id} was not counted: ${describeError(error)}`);
      return { counted: null, isFailure, dueAtMs: now() + Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** errors) };
    }
  }
}

/** Of a project that was deleted. */
const NEVER = { counted: null, isFailure: false, dueAtMs: Number.MAX_SAFE_INTEGER };
