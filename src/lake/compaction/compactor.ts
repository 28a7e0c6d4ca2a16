import { mkdirSync } from "node:fs";
import { describeError } from "../../types/mod.ts";
import { COMPACTOR_LEASE, type LiveSegment, type SegmentKind } from "../catalog/mod.ts";
import { StoppableEngine } from "../engine/mod.ts";
import { locationsOf, spillDirectory } from "../storage/mod.ts";
import { Collector } from "./collector.ts";
import { ColumnGiver } from "./columnGiver.ts";
import { type CompactionTools, type JobStats, Jobs } from "./jobs.ts";
import { type KnownChanges, readBeside } from "./knownChanges.ts";
import { type CompactionLimits, largeFlushBytes, planJob, planLogJob } from "./planner.ts";
import { Quarantine } from "./quarantine.ts";
import { Inflow, IoBudget, Turns } from "./schedule.ts";

export interface CompactorOptions extends Omit<CompactionTools, "engine"> {
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
/**
 * A job needs about eight times the text of its wide rows: as read, sorted, split and written. So it may hold a sixteenth of
 * the memory of it, and a target size is a quarter of that.
 */
const TARGET_WIDE_SHARE = 1 / 64;
/** After a large flush the compactor looks so many times before it takes the last one to have come. */
const ARRIVING_LOOKS = 5;
const THREAD_BYTES = 256 * 1024 ** 2;
const SPILL_LIMIT_BYTES = 32 * 1024 ** 3;
const LEASE_TTL_MS = 30_000;
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
  run(): Promise<void>;
}

/** The log first: it is small, and every question about persons reads all of it. */
const KINDS = ["log", "erase", "events", "squash", "backfill"] as const;
type Kind = (typeof KINDS)[number];

/** The files to work on, from one look at the catalog. */
interface Scene {
  live: LiveSegment[];
  /** Those that are not in quarantine. */
  logs: LiveSegment[];
  events: LiveSegment[];
  /** Large flushes come in one after the other. */
  moreToCome: boolean;
  known: KnownChanges;
}

/** Keeps the number of live files small, and the folder clean. Only the holder of the lease works. */
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
  private readonly stopped = Promise.withResolvers<void>();

  constructor(private readonly options: CompactorOptions) {
    const { config, storage, catalog } = options;
    mkdirSync(storage.workDirectory, { recursive: true });
    this.limits = {
      targetBytes: config.compactTargetBytes,
      targetWideBytes: config.compactMemoryBytes * TARGET_WIDE_SHARE,
      fanout: config.compactFanout,
      jobMaxBytes: config.compactTargetBytes * JOB_TARGETS,
    };
    this.inflow = new Inflow(largeFlushBytes(this.limits), config.compactMs * ARRIVING_LOOKS);
    // Half of the machine at most: new events and queries come first. Each thread has rows to sort and to write in memory.
    const threadsMax = Math.floor(config.compactMemoryBytes / THREAD_BYTES);
    this.engine = new StoppableEngine({
      threads: Math.max(1, Math.min(threadsMax, Math.floor(navigator.hardwareConcurrency / 2))),
      memoryLimitBytes: config.compactMemoryBytes,
      tempDirectory: spillDirectory(storage.workDirectory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
    });
    const tools = { ...options, engine: this.engine };
    this.jobs = new Jobs({ ...tools, limits: this.limits, hasPersonRows: config.compactPersonRows });
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
    let sweptAtMs = 0;
    while (!this.isStopping) {
      try {
        if (await this.isAlone()) {
          if (Date.now() - sweptAtMs > SWEEP_MS) {
            await this.collector.sweep(Date.now());
            sweptAtMs = Date.now();
          }
          while (!this.isStopping && (await this.isAlone()) && (await this.step())) await this.collect();
          await this.collect();
        }
        pauseMs = FAILURE_PAUSE_FIRST_MS;
        await this.pause(config.compactMs);
      } catch (error) {
        if (this.isStopping) break;
        this.own.failures++;
        log(`compaction failed, trying again in ${pauseMs} ms: ${describeError(error)}`);
        await this.pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, FAILURE_PAUSE_LONGEST_MS);
      }
    }
    await this.engine.close();
    await catalog.releaseLease(COMPACTOR_LEASE, holder);
  }

  /** Ends after the statement in hand has been interrupted; its outputs are abandoned. */
  stop(): void {
    this.isStopping = true;
    this.stopped.resolve();
    this.engine.interrupt();
  }

  /** One job, done, or its files put in quarantine; false when there is nothing to do. Needs the lease. */
  async step(): Promise<boolean> {
    const { catalog, holder, storage } = this.options;
    const scene = await this.look();
    const job = await this.nextJob(scene);
    if (job === null) return false;
    const ids = job.inputs.map(({ id }) => id);
    await catalog.beginTrying(ids, holder);
    const heartbeat = setInterval(() => void this.stayAlone().catch(() => {}), LEASE_TTL_MS / 3);
    try {
      const read = locationsOf(storage, [...job.inputs, ...readBeside(job.inputs, scene.known)]);
      await storage.hold(read, () => job.run());
    } catch (error) {
      if (!(await this.quarantine.judge(error, { inputs: job.inputs, known: scene.known }))) throw error;
      this.own.failures++;
    } finally {
      clearInterval(heartbeat);
      await catalog.endTrying(ids, holder);
    }
    return true;
  }

  private async stayAlone(): Promise<void> {
    if (await this.isAlone()) await this.options.catalog.keepTrying(this.options.holder);
  }

  private async look(): Promise<Scene> {
    const { catalog } = this.options;
    const { added: live, version } = await catalog.segmentChanges(0);
    this.own.liveSegments = live.length;
    const quarantined = new Set(await catalog.quarantined());
    const of = (kind: SegmentKind) => live.filter((segment) => segment.kind === kind);
    const isFree = ({ id }: LiveSegment) => !quarantined.has(id);
    const events = of("events").filter(isFree);
    const known = {
      logs: of("log"),
      rosters: of("roster"),
      version,
      erasures: await catalog.unfinishedErasures(version),
    };
    await this.columnGiver.look(events, Date.now());
    return { live, logs: of("log").filter(isFree), events, moreToCome: this.inflow.look(events, Date.now()), known };
  }

  private async nextJob(scene: Scene): Promise<Job | null> {
    for (const kind of this.turns.order()) {
      const job = await this.find[kind](scene);
      if (job !== null) {
        this.turns.took(kind);
        return job;
      }
      this.turns.idle(kind);
    }
    return null;
  }

  /** A job of each kind, or null when there is none. */
  private readonly find: Record<Kind, (scene: Scene) => Promise<Job | null>> = {
    log: async ({ logs, moreToCome, known }) => {
      const inputs = planLogJob(logs, this.limits, moreToCome);
      return inputs && { inputs, run: () => this.jobs.mergeLogs(inputs, known) };
    },
    erase: async ({ live, known }) => {
      const id = await this.options.catalog.dueForErasure(this.options.config.eraseMs);
      return jobOf(live, id, (segment) => this.jobs.erase(segment, known));
    },
    events: async ({ events, moreToCome, known }) => {
      const inputs = planJob(events, this.limits, moreToCome);
      return inputs && { inputs, run: () => this.jobs.mergeEvents(inputs, known) };
    },
    squash: async ({ events, known }) => {
      const id = await this.options.catalog.dueForSquash(this.options.config.squashMs);
      return jobOf(events, id, (segment) => this.jobs.squash(segment, known));
    },
    backfill: async ({ events, known }) => {
      if (!this.backfillBudget.isFree(Date.now())) return null;
      const { backfillMs, compactPersonRows } = this.options.config;
      const id = await this.options.catalog.dueForBackfill(backfillMs, compactPersonRows);
      return jobOf(events, id, (segment) => this.backfill(segment, known));
    },
  };

  /** Takes or renews the lease. */
  isAlone(): Promise<boolean> {
    return this.options.catalog.holdLease(COMPACTOR_LEASE, this.options.holder, LEASE_TTL_MS);
  }

  /** Removes files without readers. */
  async collect(): Promise<void> {
    this.own.collected += await this.collector.collect();
    await this.options.catalog.finishErasures();
  }

  /** Rewrites one file with what its project has got since: columns, a daily rollup in its zone. */
  private async backfill(segment: LiveSegment, known: KnownChanges): Promise<void> {
    this.backfillBudget.spend(segment.sizeBytes, Date.now());
    await this.jobs.mergeEvents([segment], known);
  }

  private pause(ms: number): Promise<void> {
    return Promise.race([Bun.sleep(ms), this.stopped.promise]);
  }
}

/** A job on one file that the catalog has named. */
function jobOf(
  segments: readonly LiveSegment[],
  id: string | null,
  run: (segment: LiveSegment) => Promise<void>,
): Job | null {
  const segment = segments.find((known) => known.id === id);
  return segment === undefined ? null : { inputs: [segment], run: () => run(segment) };
}
