import { mkdirSync } from "node:fs";
import { describeError } from "../../types/mod.ts";
import type { LiveSegment, SegmentKind } from "../catalog/mod.ts";
import { StoppableEngine } from "../engine/mod.ts";
import { locationsOf, spillDirectory } from "../storage/mod.ts";
import { duringJob, LEASE_TTL_MS, RENEW_MS } from "./claim.ts";
import { Collector } from "./collector.ts";
import { ColumnGiver } from "./columnGiver.ts";
import { type ClaimedJob, type CompactionTools, type JobStats, Jobs } from "./jobs.ts";
import { type KnownChanges, readBeside } from "./knownChanges.ts";
import { type CompactionLimits, largeFlushBytes, planJob, planLogJob } from "./planner.ts";
import { Quarantine } from "./quarantine.ts";
import { Inflow, IoBudget, Turns } from "./schedule.ts";

export interface CompactorOptions extends Omit<CompactionTools, "engine"> {
  /** Rows of the log of a project that are reduced at once; when absent, as many as memory has room for. */
  logPartRows?: number;
  /** After a step of a job that took so long, small files are merged before it goes on; when absent, 3 s. */
  longStepMs?: number;
  config: {
    compactTargetBytes: number;
    compactFanout: number;
    compactMs: number;
    eraseMs: number;
    compactMemoryBytes: number;
    squashMs: number;
    backfillMs: number;
    backfillBytesPerMinute: number;
    compactPersonRows: boolean;
  };
}

/** Inputs of one job, in target sizes: what four large files over one range are split into again. */
const JOB_TARGETS = 4;
/** The same of a job that is done between two parts of a long one: a few seconds' work, */
const BESIDE_JOB_TARGETS = 1 / 4;
/** and so many of them at most, that the long one ends. */
const BESIDE_JOBS_MAX = 8;
const LONG_STEP_MS = 3_000;
/** Of the engine's memory, the target size at most: the rows of a file of a day are sorted at once, and take about seven times its bytes. */
const TARGET_SHARE = 1 / 6;
/**
 * A job needs about eight times the text of its wide rows: as read, sorted, split and written. So it may hold a sixteenth of
 * the memory of it, and a target size is a quarter of that.
 */
const TARGET_WIDE_SHARE = 1 / 64;
/** Its holder does what one compactor does for all: back-fill, columns that are asked for, and collecting. */
const HOUSEKEEPING_LEASE = "compactor";
/** After a large flush the compactor looks so many times before it takes the last one to have come. */
const ARRIVING_LOOKS = 5;
/** That a row of the log takes while it is reduced: it is held as it is read, as it is kept, and as it is sorted. */
const LOG_ROW_BYTES = 800;
const THREAD_BYTES = 256 * 1024 ** 2;
const SPILL_LIMIT_BYTES = 32 * 1024 ** 3;
const SWEEP_MS = 3_600_000;
const FAILURE_PAUSE_FIRST_MS = 1_000;
const FAILURE_PAUSE_LONGEST_MS = 60_000;

/** Since the start of the process. */
export interface CompactorStats extends JobStats {
  failures: number;
  collected: number;
  /** At the last look. */
  liveSegments: number;
}

/** The next piece of work. */
interface Job {
  inputs: LiveSegment[];
  run(job: ClaimedJob): Promise<void>;
}

/** The log first: it is small, and every question about persons reads all of it. */
const KINDS = ["log", "erase", "events", "squash", "backfill"] as const;
type Kind = (typeof KINDS)[number];

/** The files to work on, from one look at the catalog. */
interface Scene {
  live: LiveSegment[];
  /** Those that are neither in quarantine nor in a job. */
  logs: LiveSegment[];
  events: LiveSegment[];
  /** Large flushes come in one after the other. */
  moreToCome: boolean;
  /** The inputs of all compactors' jobs. */
  running: LiveSegment[][];
  known: KnownChanges;
  /** Whether this process does the housekeeping. */
  isKeeper: boolean;
}

/** Keeps the number of live files small, and the folder clean. Of several on one catalog each does jobs of its own. */
export class Compactor {
  private readonly own = { failures: 0, collected: 0, liveSegments: 0 };
  private readonly engine: StoppableEngine;
  private readonly jobs: Jobs;
  private readonly quarantine: Quarantine;
  private readonly collector: Collector;
  private readonly columnGiver: ColumnGiver;
  private readonly backfillBudget: IoBudget;
  private readonly limits: CompactionLimits;
  private readonly inflow: Inflow;
  private readonly turns = new Turns(KINDS);
  private isStopping = false;
  /** What a failure is a failure of. */
  private inHand: Kind | "look" | "collect" = "look";
  /** Whether it does jobs between two parts of another one. */
  private isBetween = false;
  private readonly stopped = Promise.withResolvers<void>();

  constructor(private readonly options: CompactorOptions) {
    const { config, storage, catalog } = options;
    mkdirSync(storage.workDirectory, { recursive: true });
    const targetBytes = Math.min(config.compactTargetBytes, config.compactMemoryBytes * TARGET_SHARE);
    this.limits = {
      targetBytes,
      targetWideBytes: config.compactMemoryBytes * TARGET_WIDE_SHARE,
      fanout: config.compactFanout,
      jobMaxBytes: targetBytes * JOB_TARGETS,
    };
    this.inflow = new Inflow(largeFlushBytes(this.limits), config.compactMs * ARRIVING_LOOKS);
    // Half of the machine at most: new events and queries come first. Each thread has rows to sort and to write in memory.
    const threadsMax = Math.floor(config.compactMemoryBytes / THREAD_BYTES);
    this.engine = new StoppableEngine({
      threads: Math.max(1, Math.min(threadsMax, Math.floor(navigator.hardwareConcurrency / 2))),
      memoryLimitBytes: config.compactMemoryBytes,
      tempDirectory: spillDirectory(storage.workDirectory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
      readsOnce: true,
    });
    const tools = { ...options, engine: this.engine };
    const { compactPersonRows: hasPersonRows, compactMemoryBytes: memoryBytes } = config;
    const between = () => this.mergeSmall();
    const { logPartRows = Math.ceil(memoryBytes / LOG_ROW_BYTES), longStepMs = LONG_STEP_MS } = options;
    const parts = { logPartRows, longStepMs, between };
    this.jobs = new Jobs({ ...tools, limits: this.limits, hasPersonRows, memoryBytes, ...parts });
    this.quarantine = new Quarantine(tools);
    this.collector = new Collector(catalog, storage);
    this.columnGiver = new ColumnGiver(tools);
    this.backfillBudget = new IoBudget(config.backfillBytesPerMinute);
  }

  get stats(): CompactorStats {
    return { ...this.jobs.stats, ...this.own };
  }

  /** Works until `stop`; failures are logged and tried again, ever more slowly. */
  async run(): Promise<void> {
    const { config, log, holder, catalog } = this.options;
    let pauseMs = FAILURE_PAUSE_FIRST_MS;
    let sweptAtMs = Number.NEGATIVE_INFINITY;
    while (!this.isStopping) {
      try {
        if (performance.now() - sweptAtMs > SWEEP_MS && (await this.keepsHouse())) {
          await this.collector.sweep(Date.now());
          sweptAtMs = performance.now();
        }
        while (!this.isStopping && (await this.step())) {
          await this.tidy();
          // DuckDB keeps some memory of each job. Under load it is never idle for so long that it is closed: 70 MiB were kept after 20 minutes.
          await this.engine.letGo();
        }
        await this.tidy();
        pauseMs = FAILURE_PAUSE_FIRST_MS;
        await this.pause(config.compactMs);
      } catch (error) {
        if (this.isStopping) break;
        log(`compaction failed, trying again in ${pauseMs} ms: ${describeError(error)}`);
        await this.noteFailure(error);
        await this.pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, FAILURE_PAUSE_LONGEST_MS);
      }
    }
    await this.engine.close();
    await catalog.releaseLease(HOUSEKEEPING_LEASE, holder);
  }

  /** Ends after the statement in hand has been interrupted; its outputs are abandoned. */
  stop(): void {
    this.isStopping = true;
    this.stopped.resolve();
    this.engine.interrupt();
  }

  /** One job, done by this process or just taken by another one, or its files put in quarantine; false when there is nothing to do. */
  async step(): Promise<boolean> {
    const scene = await this.look();
    const next = await this.nextJob(scene);
    if (next === null) return false;
    await this.carryOut(next, scene);
    return true;
  }

  private async carryOut({ kind, inputs, run }: Job & { kind: Kind }, scene: Scene): Promise<void> {
    const { catalog, holder, storage } = this.options;
    const { known } = scene;
    const beside = readBeside(inputs, known);
    this.inHand = kind;
    const heartbeat = setInterval(() => void this.stayKeeper(scene).catch(() => {}), RENEW_MS);
    try {
      await duringJob({ catalog, holder, kind, inputs, beside }, async (id) => {
        try {
          await storage.hold(locationsOf(storage, [...inputs, ...beside]), () => run({ id, inputs, known }));
        } catch (error) {
          if (!(await this.quarantine.judge(error, { inputs, known }))) throw error;
          await this.noteFailure(error);
        }
      });
    } finally {
      clearInterval(heartbeat);
    }
  }

  /**
   * Between two parts of a long job: merges small files of events, which would pile up until its end, and removes what nobody reads. A
   * failure is not that job's.
   */
  private async mergeSmall(): Promise<void> {
    if (this.isBetween) return;
    this.isBetween = true;
    const { inHand } = this;
    const limits = { ...this.limits, jobMaxBytes: this.limits.targetBytes * BESIDE_JOB_TARGETS };
    try {
      for (let jobs = 0; jobs < BESIDE_JOBS_MAX; jobs++) {
        const scene = await this.look();
        const inputs = planJob(scene.events, limits, scene);
        if (inputs === null) break;
        await this.carryOut({ kind: "events", inputs, run: (job) => this.jobs.mergeEvents(job) }, scene);
      }
      await this.tidy();
    } catch (error) {
      if (this.isStopping) throw error;
      this.options.log(`compaction of small files failed beside a long job: ${describeError(error)}`);
      await this.noteFailure(error);
    } finally {
      this.isBetween = false;
      this.inHand = inHand;
    }
  }

  /** Where operators see it. */
  private async noteFailure(error: unknown): Promise<void> {
    this.own.failures++;
    const { catalog, log } = this.options;
    await catalog
      .noteCompactionFailure(this.inHand, describeError(error))
      .catch((refusal) => log(`that compaction failed could not be noted: ${describeError(refusal)}`));
  }

  private async stayKeeper({ isKeeper }: Scene): Promise<void> {
    if (isKeeper) await this.keepsHouse();
  }

  private async look(): Promise<Scene> {
    const { catalog } = this.options;
    this.inHand = "look";
    const isKeeper = await this.keepsHouse();
    const { added: live, version } = await catalog.segmentChanges(0);
    this.own.liveSegments = live.length;
    const jobs = await catalog.runningJobs();
    const taken = new Set([...(await catalog.quarantined()), ...jobs.flatMap(({ inputs }) => inputs)]);
    const of = (kind: SegmentKind) => live.filter((segment) => segment.kind === kind);
    const isFree = ({ id }: LiveSegment) => !taken.has(id);
    const events = of("events").filter(isFree);
    const known = {
      logs: of("log"),
      rosters: of("roster"),
      version,
      erasures: await catalog.unfinishedErasures(version),
    };
    if (isKeeper) await this.columnGiver.look(events, performance.now());
    return {
      live,
      logs: of("log").filter(isFree),
      events,
      moreToCome: this.inflow.look(events, performance.now()),
      running: jobs.map(({ inputs }) => live.filter(({ id }) => inputs.includes(id))),
      known,
      isKeeper,
    };
  }

  private async nextJob(scene: Scene): Promise<(Job & { kind: Kind }) | null> {
    for (const kind of this.turns.order()) {
      const job = await this.find[kind](scene);
      if (job !== null) {
        this.turns.took(kind);
        return { ...job, kind };
      }
      this.turns.idle(kind);
    }
    return null;
  }

  /** A job of each kind, or null when there is none. */
  private readonly find: Record<Kind, (scene: Scene) => Promise<Job | null>> = {
    log: async ({ logs, ...scene }) => {
      const inputs = planLogJob(logs, this.limits, scene);
      return inputs && { inputs, run: (job) => this.jobs.mergeLogs(job) };
    },
    erase: async ({ live }) => {
      const id = await this.options.catalog.dueForErasure(this.options.config.eraseMs);
      return jobOf(live, id, (job) => this.jobs.erase(job));
    },
    events: async ({ events, ...scene }) => {
      const inputs = planJob(events, this.limits, scene);
      return inputs && { inputs, run: (job) => this.jobs.mergeEvents(job) };
    },
    squash: async ({ events }) => {
      const id = await this.options.catalog.dueForSquash(this.options.config.squashMs);
      return jobOf(events, id, (job) => this.jobs.squash(job));
    },
    backfill: async ({ events, isKeeper }) => {
      if (!isKeeper || !this.backfillBudget.isFree(performance.now())) return null;
      const { backfillMs, compactPersonRows } = this.options.config;
      const id = await this.options.catalog.dueForBackfill(backfillMs, compactPersonRows);
      return jobOf(events, id, (job) => this.backfill(job));
    },
  };

  /** Takes or renews the lease of the housekeeping; false when another compactor has it. */
  keepsHouse(): Promise<boolean> {
    return this.options.catalog.holdLease(HOUSEKEEPING_LEASE, this.options.holder, LEASE_TTL_MS);
  }

  private async tidy(): Promise<void> {
    this.inHand = "collect";
    if (await this.keepsHouse()) await this.collect();
  }

  /** Removes files without readers. */
  async collect(): Promise<void> {
    this.own.collected += await this.collector.collect();
    await this.options.catalog.finishErasures();
  }

  /** Rewrites one file with what its project has got since: columns, a daily rollup in its zone. */
  private async backfill(job: ClaimedJob): Promise<void> {
    for (const { sizeBytes } of job.inputs) this.backfillBudget.spend(sizeBytes, performance.now());
    await this.jobs.mergeEvents(job);
  }

  private pause(ms: number): Promise<void> {
    return Promise.race([Bun.sleep(ms), this.stopped.promise]);
  }
}

/** A job on one file that the catalog has named. */
function jobOf(segments: readonly LiveSegment[], id: string | null, run: Job["run"]): Job | null {
  const segment = segments.find((known) => known.id === id);
  return segment === undefined ? null : { inputs: [segment], run };
}
