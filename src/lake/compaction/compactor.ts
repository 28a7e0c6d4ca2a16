import { mkdirSync } from "node:fs";
import { describeError } from "../../types/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { COMPACTOR_LEASE } from "../catalog/segments.ts";
import type { LiveSegment, SegmentKind } from "../catalog/types.ts";
import { isEnvironmentError } from "../duckdb.ts";
import { spillDirectory } from "../files.ts";
import { Collector } from "./collector.ts";
import { ColumnGiver } from "./columnGiver.ts";
import { Inflow } from "./inflow.ts";
import { IoBudget } from "./ioBudget.ts";
import { type JobStats, Jobs } from "./jobs.ts";
import type { KnownChanges } from "./knownChanges.ts";
import { type CompactionLimits, largeFlushBytes, planJob, planLogJob } from "./planner.ts";
import { SetAside } from "./setAside.ts";
import { StoppableEngine } from "./stoppableEngine.ts";

export interface CompactorOptions {
  config: {
    compactTargetBytes: number;
    compactFanout: number;
    compactMs: number;
    eraseMs: number;
    compactMemoryBytes: number;
    squashMs: number;
    backfillMs: number;
    backfillBytesPerMinute: number;
  };
  catalog: Catalog;
  /** Where the segments lie. */
  directory: string;
  /** Names this process in the lease and in what it registers. */
  holder: string;
  log(message: string): void;
}

/** Inputs of one job, in target sizes: what four large files over one range are split into again. */
const JOB_TARGETS = 4;
/** After a large flush the compactor looks so many times before it takes the last one to have come. */
const ARRIVING_LOOKS = 5;
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

/** What is to be done next. */
interface Job {
  inputs: LiveSegment[];
  known: KnownChanges;
  run(): Promise<void>;
}

/** Keeps the number of live files small, and the folder clean. Only the holder of the lease works. */
export class Compactor {
  private readonly own = { failures: 0, collected: 0, liveSegments: 0 };
  private readonly engine: StoppableEngine;
  private readonly jobs: Jobs;
  private readonly setAside: SetAside;
  private readonly collector: Collector;
  private readonly columnGiver: ColumnGiver;
  private readonly backfillBudget: IoBudget;
  private readonly limits: CompactionLimits;
  private readonly inflow: Inflow;
  private isStopping = false;
  private readonly stopped = Promise.withResolvers<void>();

  constructor(private readonly options: CompactorOptions) {
    const { config, directory, catalog } = options;
    mkdirSync(directory, { recursive: true });
    this.limits = {
      targetBytes: config.compactTargetBytes,
      fanout: config.compactFanout,
      jobMaxBytes: config.compactTargetBytes * JOB_TARGETS,
    };
    this.inflow = new Inflow(largeFlushBytes(this.limits), config.compactMs * ARRIVING_LOOKS);
    // Half of the machine at most: new events and queries come first.
    this.engine = new StoppableEngine({
      threads: Math.max(1, Math.floor(navigator.hardwareConcurrency / 2)),
      memoryLimitBytes: config.compactMemoryBytes,
      tempDirectory: spillDirectory(directory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
    });
    const { holder, log } = options;
    const { engine, limits } = this;
    this.jobs = new Jobs({ catalog, directory, holder, engine, limits, log });
    this.setAside = new SetAside({ catalog, directory, holder, engine, log });
    this.collector = new Collector(catalog, directory);
    this.columnGiver = new ColumnGiver({ directory, engine, catalog, log });
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

  /** Ends after the statement in hand has been interrupted; what it wrote is given up. */
  stop(): void {
    this.isStopping = true;
    this.stopped.resolve();
    this.engine.interrupt();
  }

  /** One job, done or set aside with what it failed of; false when there is nothing to do. Needs the lease. */
  async step(): Promise<boolean> {
    const job = await this.nextJob();
    if (job === null) return false;
    const heartbeat = setInterval(() => void this.isAlone().catch(() => {}), LEASE_TTL_MS / 3);
    try {
      await job.run();
    } catch (error) {
      if (await this.setAside.judge(error, job)) {
        this.own.failures++;
        return true;
      }
      // A job that does not fit into memory is tried again with less.
      if (isEnvironmentError(error)) {
        this.limits.jobMaxBytes = Math.max(this.limits.jobMaxBytes / 2, this.limits.targetBytes);
      }
      throw error;
    } finally {
      clearInterval(heartbeat);
    }
    this.limits.jobMaxBytes = this.limits.targetBytes * JOB_TARGETS;
    return true;
  }

  /** The log first: it is small, and every question about persons reads all of it. */
  private async nextJob(): Promise<Job | null> {
    const { catalog, config } = this.options;
    const { added: live, version } = await catalog.segmentChanges(0);
    this.own.liveSegments = live.length;
    const aside = new Set(await catalog.segmentsAside());
    const of = (kind: SegmentKind) => live.filter((segment) => segment.kind === kind);
    const [logs, rosters] = [of("log"), of("roster")];
    const events = of("events").filter(({ id }) => !aside.has(id));
    const known = { logs, rosters, version, erasures: await catalog.unfinishedErasures(version) };
    await this.columnGiver.look(events, Date.now());
    const moreToCome = this.inflow.look(events, Date.now());
    const small = planLogJob(
      logs.filter(({ id }) => !aside.has(id)),
      this.limits,
      moreToCome,
    );
    if (small !== null) return { inputs: small, known, run: () => this.jobs.mergeLogs(small, known) };
    const erasedId = await catalog.dueForErasure(config.eraseMs);
    const erased = live.find((segment) => segment.id === erasedId);
    if (erased !== undefined) return { inputs: [erased], known, run: () => this.jobs.erase(erased, known) };
    const inputs = planJob(events, this.limits, moreToCome);
    if (inputs !== null) return { inputs, known, run: () => this.jobs.mergeEvents(inputs, known) };
    const dueId = await catalog.dueForSquash(config.squashMs);
    const due = events.find((segment) => segment.id === dueId);
    if (due !== undefined) return { inputs: [due], known, run: () => this.jobs.squash(due, known) };
    const lackingId = this.backfillBudget.isFree(Date.now()) ? await catalog.dueForBackfill(config.backfillMs) : null;
    const lacking = events.find((segment) => segment.id === lackingId);
    return lacking === undefined ? null : { inputs: [lacking], known, run: () => this.backfill(lacking, known) };
  }

  /** Takes or renews the lease. */
  isAlone(): Promise<boolean> {
    return this.options.catalog.holdLease(COMPACTOR_LEASE, this.options.holder, LEASE_TTL_MS);
  }

  /** Removes what nobody needs any more. */
  async collect(): Promise<void> {
    this.own.collected += await this.collector.collect();
    await this.options.catalog.finishErasures();
  }

  /** Gives a file that stands alone what its project has got since: columns, activity by the days of its zone. */
  private async backfill(segment: LiveSegment, known: KnownChanges): Promise<void> {
    this.backfillBudget.spend(segment.sizeBytes, Date.now());
    await this.jobs.mergeEvents([segment], known);
  }

  private pause(ms: number): Promise<void> {
    return Promise.race([Bun.sleep(ms), this.stopped.promise]);
  }
}
