import {
  type CachedResult,
  type Environment,
  findCachedResults,
  findOpenJobs,
  isPending,
  type QueryJob,
  readDataVersion,
  requestId,
} from "../../metadata/mod.ts";
import type { Db, Tx } from "../../store/mod.ts";
import { type JsonObject, RetryableError } from "../../types/mod.ts";
import type { Answer } from "./answer.ts";
import { isExact, stateOf } from "./freshness.ts";
import type { Queries } from "./queries.ts";
import { basisOf, type Question, type QuestionCaller, questionOf } from "./question.ts";
import { type CacheState, type Decision, decide, type RefreshMode } from "./refresh.ts";

/** Who asks, of which environment, and when. */
export interface Asker {
  deps: { db: Db; queries: Queries; now(): number; log(line: string, requestId?: string): void };
  environment: Environment;
  caller: QuestionCaller;
  /** Its end ends what is calculated for it alone. */
  request: Pick<Request, "headers" | "signal">;
  /** Epoch milliseconds. */
  nowMs: number;
  /** Whether a test set that time. */
  hasTestClock: boolean;
}

/** Like blocking, but takes from the cache only what is known to be exact: for questions that name no mode. */
export const EXACT = "exact";
export type Mode = RefreshMode | typeof EXACT;

/** What the record store knows of some questions. */
export interface Known {
  cached: Map<string, CachedResult>;
  /** Those that run, and those that failed. */
  jobs: Map<string, QueryJob>;
  dataVersion: number;
}

/** Answers a query node from the cache, by calculating it, or by having it calculated, as `mode` says. */
export async function ask(asker: Asker, node: JsonObject, mode: Mode, queryId: string | null = null): Promise<Answer> {
  const question = questionOf(asker.environment, node, asker);
  const known = await asker.deps.db.read((tx) => lookUp(tx, asker, [question]));
  return answer(asker, question, known, mode, queryId);
}

/** What is known of questions that one asker has. */
export async function lookUp(tx: Tx, asker: Asker, questions: readonly Question[]): Promise<Known> {
  const teamId = asker.environment.id;
  const keys = questions.map(({ cacheKey }) => cacheKey);
  return {
    cached: await findCachedResults(tx, teamId, keys),
    jobs: await findOpenJobs(tx, teamId, keys, asker.deps.now()),
    dataVersion: keys.length === 0 ? 0 : await readDataVersion(tx, teamId),
  };
}

/** The answer to one of the questions that were looked up. `queryId`: what the client calls it, to poll and to cancel. */
export async function answer(
  asker: Asker,
  question: Question,
  known: Known,
  mode: Mode,
  queryId: string | null,
): Promise<Answer> {
  const cached = known.cached.get(question.cacheKey);
  const read = cached === undefined ? null : asker.deps.queries.calculator.kept(cached, asker.environment.id);
  const kept = read === null ? undefined : cached;
  const job = standing(known.jobs.get(question.cacheKey), kept);
  const nothing: Answer = { question, text: null, isCached: false, computedAtMs: null, job };
  const fromCache = (job = nothing.job): Answer =>
    read === null ? nothing : { ...read, question, isCached: true, job };
  const begin = () => enqueued(asker, question, { job, mode, queryId });
  const state = judge(kept, question, known.dataVersion, mode);
  const decision = decide(mode === EXACT ? "blocking" : mode, state);
  noteUse(asker.deps.queries, decision);
  switch (decision) {
    case "nothing":
      return nothing;
    case "cached":
      // A look tells of what others calculate. One that wants an answer has it: it would follow, and end, what it did not ask for.
      return fromCache(mode !== "force_cache" && job !== null && isPending(job) ? null : job);
    case "compute":
      return { ...nothing, ...(await calculate(asker, question, queryId)), job: null };
    case "enqueue":
      return { ...nothing, job: await begin() };
    case "cached+enqueue":
      // Where too much waits already, what is kept is still an answer.
      return fromCache(await begin().catch(nullWhereBusy));
  }
}

interface Standing {
  /** Known of the question. */
  job: QueryJob | null;
  mode: Mode;
  queryId: string | null;
}

/** The calculation in the background that the asker waits for from now on: one that runs already, or its own. */
async function enqueued(asker: Asker, question: Question, { job, mode, queryId }: Standing): Promise<QueryJob> {
  const { jobs } = asker.deps.queries;
  const begin = (id: string) => jobs.begin(question, id, asker.caller);
  if (queryId !== null || job === null) return begin(queryId ?? question.cacheKey);
  // What has just failed would fail again: it is repeated for a caller that forces it only.
  if (!isPending(job)) return mode === "force_async" ? begin(question.cacheKey) : job;
  return (await jobs.join(job, asker.caller)) ?? begin(question.cacheKey);
}

function noteUse({ cacheUse }: Queries, decision: Decision): void {
  if (decision === "cached" || decision === "cached+enqueue") cacheUse.hits++;
  else if (decision !== "nothing") cacheUse.misses++;
}

/** A failure is over once there is a result that was begun after it. */
function standing(job: QueryJob | undefined, kept: CachedResult | undefined): QueryJob | null {
  if (job === undefined) return null;
  return !isPending(job) && kept !== undefined && kept.computedAtMs >= job.startedAtMs ? null : job;
}

function nullWhereBusy(error: unknown): null {
  if (error instanceof RetryableError && error.code === "queries_busy") return null;
  throw error;
}

function judge(cached: CachedResult | undefined, question: Question, dataVersion: number, mode: Mode): CacheState {
  if (cached === undefined) return "miss";
  const present = () => ({ dataVersion, basis: basisOf(question) });
  if (mode !== EXACT) return stateOf(cached, question, present);
  return isExact(cached, present()) ? "very_fresh" : "stale";
}

function calculate(asker: Asker, question: Question, queryId: string | null) {
  const { calculator, cancels } = asker.deps.queries;
  const { signal } = asker.request;
  const options = { anywhere: true };
  if (queryId === null) return calculator.calculate(question, signal, options);
  const query = { teamId: question.environment.id, id: requestId(asker.caller?.user?.id ?? null, queryId) };
  return cancels.during({ ...query, sinceMs: asker.deps.now() }, (cancelled) =>
    calculator.calculate(question, AbortSignal.any([signal, cancelled]), options),
  );
}
