import { mkdirSync } from "node:fs";
import { describeError } from "../../types/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { COMPACTOR_LEASE } from "../catalog/segments.ts";
import type { LiveSegment } from "../catalog/types.ts";
import { isEnvironmentError } from "../duckdb.ts";
import { Collector } from "./collector.ts";
import { Merger } from "./merger.ts";
import { type CompactionLimits, planJob } from "./planner.ts";

export interface CompactorOptions {
  config: {
    compactTargetBytes: number;
    compactFanout: number;
    compactMs: number;
    compactMemoryBytes: number;
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
const LEASE_TTL_MS = 30_000;
const SWEEP_MS = 3_600_000;
const FAILURE_PAUSE_FIRST_MS = 1_000;
const FAILURE_PAUSE_LONGEST_MS = 60_000;

/** Since the start of the process. */
export interface CompactorStats {
  jobs: number;
  rows: number;
  failures: number;
  collected: number;
  /** Duplicates that should not exist. */
  equalKeys: number;
  /** At the last look. */
  liveSegments: number;
}

/** Keeps the number of live files small, and the folder clean. Only the holder of the lease works. */
export class Compactor {
  readonly stats: CompactorStats = { jobs: 0, rows: 0, failures: 0, collected: 0, equalKeys: 0, liveSegments: 0 };
  private readonly merger: Merger;
  private readonly collector: Collector;
  private readonly limits: CompactionLimits;
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
    // Half of the machine at most: new events and queries come first.
    const threads = Math.max(1, Math.floor(navigator.hardwareConcurrency / 2));
    this.merger = new Merger({ directory, memoryLimitBytes: config.compactMemoryBytes, threads });
    this.collector = new Collector(catalog, directory);
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
        this.stats.failures++;
        log(`compaction failed, trying again in ${pauseMs} ms: ${describeError(error)}`);
        await this.pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, FAILURE_PAUSE_LONGEST_MS);
      }
    }
    await this.merger.close();
    await catalog.releaseLease(COMPACTOR_LEASE, holder);
  }

  /** Ends after the statement in hand has been interrupted; what it wrote is given up. */
  stop(): void {
    this.isStopping = true;
    this.stopped.resolve();
    this.merger.interrupt();
  }

  /** One job; false when there is nothing to do. Needs the lease. */
  async step(): Promise<boolean> {
    const { added: live } = await this.options.catalog.segmentChanges(0);
    this.stats.liveSegments = live.length;
    const inputs = planJob(
      live.filter((segment) => segment.kind === "events"),
      this.limits,
    );
    if (inputs === null) return false;
    const heartbeat = setInterval(() => void this.isAlone().catch(() => {}), LEASE_TTL_MS / 3);
    try {
      await this.merge(inputs);
    } catch (error) {
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

  /** Takes or renews the lease. */
  isAlone(): Promise<boolean> {
    return this.options.catalog.holdLease(COMPACTOR_LEASE, this.options.holder, LEASE_TTL_MS);
  }

  /** Removes what nobody needs any more. */
  async collect(): Promise<void> {
    this.stats.collected += await this.collector.collect();
  }

  /** Outputs are registered before they are written, and become live in the transaction that takes the inputs away. */
  private async merge(inputs: LiveSegment[]): Promise<void> {
    const { catalog, holder, log } = this.options;
    const startedAt = performance.now();
    const plan = await this.merger.plan(inputs, this.limits);
    const ids = plan.outputs.map(() => crypto.randomUUID());
    const generation = Math.max(...inputs.map((input) => input.generation));
    await catalog.registerPending({ ids, writer: holder, generation, epochs: [] });
    try {
      const { outputs, equalKeys } = await this.merger.write(plan, ids);
      await catalog.replaceSegments({ inputs: inputs.map((input) => input.id), outputs, duplicatesMet: equalKeys });
      const rows = outputs.reduce((sum, output) => sum + output.rowCount, 0);
      this.stats.jobs++;
      this.stats.rows += rows;
      this.stats.equalKeys += equalKeys;
      if (equalKeys > 0) log(`compaction met ${equalKeys} duplicates that should not exist`);
      const ms = Math.round(performance.now() - startedAt);
      log(`compacted ${inputs.length} segments into ${outputs.length}: ${rows} rows in ${ms} ms`);
    } catch (error) {
      // Had the swap happened after all, the outputs would not be pending and this would change nothing.
      await catalog.abandon(ids);
      throw error;
    }
  }

  private pause(ms: number): Promise<void> {
    return Promise.race([Bun.sleep(ms), this.stopped.promise]);
  }
}
