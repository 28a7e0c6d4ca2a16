import { join } from "node:path";
import type { Config } from "../../config.ts";
import type { Lake, LakeQuery, StatementProgress } from "../../lake/mod.ts";
import {
  ALL_NAMEABLE,
  type CachedResult,
  type Environment,
  findCachedResults,
  readDataVersion,
  storeCachedResult,
} from "../../metadata/mod.ts";
import {
  type QueryContext,
  type QueryRecords,
  type QueryResponse,
  type runQuery,
  textLimitsOf,
  WatchedRecords,
} from "../../query/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError, type JsonObject } from "../../types/mod.ts";
import { JsonText } from "../http/longList.ts";
import type { Inputs } from "./freshness.ts";
import { InHand } from "./inHand.ts";
import { LongResults, ResultList } from "./longResults.ts";
import { askedAt, basisOf, type Question, type QuestionCaller } from "./question.ts";
import { namedBy, RecordCache } from "./records.ts";
import { leftOf, type RemoteAsker } from "./remoteAsker.ts";
import type { RemoteResult } from "./remoteMessages.ts";
import { ResultClaims } from "./resultClaims.ts";
import { SharedRuns } from "./sharedRuns.ts";
import { writtenAnswer } from "./writtenAnswer.ts";

export interface CalculatorParts {
  config: Config;
  db: Db;
  lake: Lake;
  runQuery: typeof runQuery;
  /** What asks other processes; null where all is calculated here. */
  remote: RemoteAsker | null;
  /** Epoch milliseconds; the machine's clock, whatever time a question is asked at. */
  now(): number;
  log(line: string): void;
}

/** A result that has just been calculated. */
export interface Calculated {
  /** What the query layer gave, as it is sent. */
  text: JsonText;
  /** When the calculation began. */
  computedAtMs: number;
}

/** Who looks at what, and when. */
interface LookCall {
  environment: Environment;
  caller: QuestionCaller;
  nowMs: number;
  request: Pick<Request, "signal">;
}

interface LookOptions {
  maxRows?: number;
  stored?: LakeQuery["stored"];
  records?(records: QueryRecords): QueryRecords;
}

/** Where and in what time a question is to be calculated. */
interface CalculateOptions {
  /** Another process may do it. */
  anywhere?: boolean;
  /** Of each of its statements; that of all queries where absent. */
  timeoutMs?: number;
}

/** A calculation that is to begin. */
interface Run {
  question: Question;
  inputs: Inputs;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Calculates answers. Equal questions on the same data at the same moment are calculated once, whichever process asks. */
export class Calculator {
  private readonly claims: ResultClaims;
  private readonly runs = new SharedRuns<Calculated>();
  /** By cache key: of the statement that runs now for it. */
  private readonly progress = new Map<string, StatementProgress>();
  private readonly records: RecordCache;
  private readonly longResults: LongResults;
  private readonly inHand = new InHand();

  constructor(private readonly parts: CalculatorParts) {
    const { config, db } = parts;
    this.longResults = new LongResults({
      db,
      directory: join(config.dataDir, "run", "answers"),
      maxBytes: config.answersMaxBytes,
    });
    this.records = new RecordCache(parts.db);
    this.claims = new ResultClaims(parts);
  }

  /** How many wait for a result in this process now. */
  get waiting(): number {
    return this.runs.waiting;
  }

  /** How far the calculation of a question is; null where another process has it, or nothing is known yet. */
  progressOf(cacheKey: string): StatementProgress | null {
    return this.progress.get(cacheKey) ?? null;
  }

  /**
   * Calculates and keeps a result; `signal` ends it, unless others wait for it too. Errors: those of `runQuery`,
   * TerminalError `query_cancelled`.
   */
  async calculate(question: Question, signal: AbortSignal, options: CalculateOptions = {}): Promise<Calculated> {
    const { anywhere = false, timeoutMs = this.parts.config.queryTimeoutMs } = options;
    const dataVersion = await this.parts.db.read((tx) => readDataVersion(tx, question.environment.id));
    const inputs = { dataVersion, basis: basisOf(question) };
    // A caller that asks for newer data must not get what was begun on older.
    const key = `${question.cacheKey} ${dataVersion}`;
    return this.runs.join(key, signal, (ends) => {
      const run = { question, inputs, signal: ends, timeoutMs };
      return anywhere ? this.runAnywhere(run) : this.runHere(run);
    });
  }

  /** What another process was asked in vain is calculated here: where that one goes on with it, its claim says so. */
  private async runAnywhere(run: Run): Promise<Calculated> {
    const { signal, timeoutMs, question } = run;
    const beganAtMs = performance.now();
    const teamId = question.environment.id;
    const ownLoad = () => this.inHand.of(teamId) / this.parts.config.queryProcesses;
    let leave: (() => void) | null = null;
    // At once: others that ask at the same moment must see it.
    const takeHere = () => {
      leave ??= this.inHand.enter(teamId);
    };
    try {
      const result = (await this.parts.remote?.ask(question, { timeoutMs, signal, ownLoad, takeHere })) ?? null;
      const calculated = result === null ? null : await this.remoteResult(result, run);
      if (calculated !== null) return calculated;
      takeHere();
      return await this.claimAndRun({ ...run, timeoutMs: leftOf(timeoutMs, beganAtMs) });
    } finally {
      (leave as (() => void) | null)?.();
    }
  }

  /** Null where it is not in the store. */
  private async remoteResult(
    { text, computedAtMs }: RemoteResult,
    { question, inputs }: Run,
  ): Promise<Calculated | null> {
    if (text !== null) return { text: new JsonText(text), computedAtMs };
    return this.keptSince(question, inputs.dataVersion, computedAtMs);
  }

  private async runHere(run: Run): Promise<Calculated> {
    const leave = this.inHand.enter(run.question.environment.id);
    return this.claimAndRun(run).finally(leave);
  }

  private async claimAndRun(run: Run): Promise<Calculated> {
    const { question, inputs, signal } = run;
    const claim = { cacheKey: question.cacheKey, dataVersion: inputs.dataVersion };
    for (;;) {
      const calculated = await this.claims.during(claim, question.nowMs, () => this.run(run));
      if (calculated !== null) return calculated;
      const sinceMs = await this.claims.endOfOthers(claim, signal);
      const found = await this.keptSince(question, claim.dataVersion, sinceMs);
      if (found !== null) return found;
    }
  }

  /** The kept result of a calculation that began then or later, on this data or newer. */
  private async keptSince(question: Question, dataVersion: number, sinceMs: number): Promise<Calculated | null> {
    const { environment, cacheKey } = question;
    const found = await this.parts.db.read((tx) => findCachedResults(tx, environment.id, [cacheKey]));
    const cached = found.get(cacheKey);
    if (cached === undefined || cached.dataVersion < dataVersion || cached.computedAtMs < sinceMs) return null;
    return this.kept(cached, environment.id);
  }

  /** What a look at the environment's data is answered from, whose answers are not kept. */
  async contextNow({ environment, caller, nowMs, request }: LookCall): Promise<QueryContext> {
    const records = namedBy(await this.records.of(environment.id), caller?.nameable ?? ALL_NAMEABLE);
    return { ...this.contextOf(environment, nowMs, records), signal: request.signal };
  }

  /**
   * Answers a node without keeping the answer. `maxRows`: in place of the bound of all queries; `stored`: only of events that were stored
   * then; `records`: in place of those of the project. Errors: those of `runQuery`.
   */
  async look(call: LookCall, node: JsonObject, { maxRows, stored, records }: LookOptions = {}): Promise<QueryResponse> {
    const context = await this.contextNow(call);
    const limits = { ...context.limits, ...(maxRows !== undefined && { maxRows }) };
    const own = records?.(context.records) ?? context.records;
    const lake: Lake =
      stored === undefined
        ? context.lake
        : { query: (query) => context.lake.query({ ...query, stored }), close: async () => {} };
    const response = await this.parts.runQuery(node, { ...context, limits, lake, records: own });
    const { resultsFile, ...rest } = response;
    return resultsFile === undefined ? rest : { ...rest, results: await resultsFile.take() };
  }

  /** A kept result; null for one that cannot be read any more. */
  kept(cached: CachedResult, teamId: number): Calculated | null {
    const { result, long, computedAtMs } = cached;
    if (!result.startsWith("{") || !result.endsWith("}")) return null;
    const list = long === null ? null : new ResultList(this.longResults, long, teamId);
    return { text: new JsonText(result, list), computedAtMs };
  }

  /** Removes the files of results. */
  close(): Promise<void> {
    return this.longResults.close();
  }

  /** What a query of the environment is answered from. */
  contextOf(environment: Environment, nowMs: number, records: QueryRecords): QueryContext {
    const { config, lake } = this.parts;
    return {
      ...askedAt(environment, nowMs),
      teamId: environment.id,
      lake,
      limits: {
        timeoutMs: config.queryTimeoutMs,
        maxRows: config.queryMaxRows,
        text: textLimitsOf(config),
      },
      records,
    };
  }

  private async run({ question, inputs, signal, timeoutMs }: Run): Promise<Calculated> {
    const { config, db, runQuery } = this.parts;
    const { environment, cacheKey, nowMs, nameable } = question;
    const records = new WatchedRecords(namedBy(await this.records.of(environment.id), nameable));
    const context = this.contextOf(environment, nowMs, records);
    const lake = this.watched(cacheKey);
    const limits = { ...context.limits, timeoutMs };
    const response = await runQuery(question.query, { ...context, limits, lake, signal });
    const { text, file } = await writtenAnswer(response, () => this.longResults.newPath());
    const basis = records.isMomentary ? null : inputs.basis;
    const long = file === null ? null : { runId: crypto.randomUUID(), sizeBytes: file.sizeBytes };
    if (!response.error) {
      const entry = { cacheKey, teamId: environment.id, result: text, long, computedAtMs: nowMs, ...inputs, basis };
      const rows = file?.chunks() ?? null;
      await storeCachedResult(db, entry, config.queryCacheMaxBytes, rows).catch((error) =>
        this.parts.log(`the record store could not be written to: ${describeError(error)}`),
      );
    }
    if (file === null || long === null) return { text: new JsonText(text), computedAtMs: nowMs };
    await this.longResults.adopt(long, file);
    return { text: new JsonText(text, new ResultList(this.longResults, long, environment.id)), computedAtMs: nowMs };
  }

  /** The lake, whose statements tell how far they are. */
  private watched(cacheKey: string): Lake {
    const { lake } = this.parts;
    const onProgress = (progress: StatementProgress) => void this.progress.set(cacheKey, progress);
    return {
      query: (query) => lake.query({ ...query, onProgress }).finally(() => this.progress.delete(cacheKey)),
      close: () => lake.close(),
    };
  }
}
