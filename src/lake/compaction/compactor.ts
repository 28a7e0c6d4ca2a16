import { mkdirSync } from "node:fs";
import { describeError } from "../../types/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { isFull } from "../catalog/columns.ts";
import { COMPACTOR_LEASE } from "../catalog/segments.ts";
import type { LiveSegment, SegmentFacts } from "../catalog/types.ts";
import { isEnvironmentError } from "../duckdb.ts";
import { spillDirectory } from "../files.ts";
import { chooseColumns } from "../typed/choose.ts";
import type { TypedColumn } from "../typed/columns.ts";
import { Collector } from "./collector.ts";
import { ColumnGiver } from "./columnGiver.ts";
import { Inflow } from "./inflow.ts";
import { IoBudget } from "./ioBudget.ts";
import type { KnownChanges } from "./knownChanges.ts";
import { LogMerger } from "./logMerger.ts";
import { type Layouts, type MergePlan, Merger, ownTeams } from "./merger.ts";
import { type CompactionLimits, largeFlushBytes, planJob, planLogJob } from "./planner.ts";
import { growingRosters, RosterWriter } from "./rosterWriter.ts";
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
  private readonly engine: StoppableEngine;
  private readonly merger: Merger;
  private readonly logMerger: LogMerger;
  private readonly rosterWriter: RosterWriter;
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
    this.merger = new Merger(directory, this.engine);
    this.logMerger = new LogMerger(directory, this.engine);
    this.rosterWriter = new RosterWriter(directory, this.engine);
    this.collector = new Collector(catalog, directory);
    this.columnGiver = new ColumnGiver(directory, this.engine, catalog);
    this.backfillBudget = new IoBudget(config.backfillBytesPerMinute);
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
    await this.engine.close();
    await catalog.releaseLease(COMPACTOR_LEASE, holder);
  }

  /** Ends after the statement in hand has been interrupted; what it wrote is given up. */
  stop(): void {
    this.isStopping = true;
    this.stopped.resolve();
    this.engine.interrupt();
  }

  /** One job; false when there is nothing to do. Needs the lease. */
  async step(): Promise<boolean> {
    const job = await this.nextJob();
    if (job === null) return false;
    const heartbeat = setInterval(() => void this.isAlone().catch(() => {}), LEASE_TTL_MS / 3);
    try {
      await job();
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

  /** The log first: it is small, and every question about persons reads all of it. */
  private async nextJob(): Promise<(() => Promise<void>) | null> {
    const { catalog, config } = this.options;
    const { added: live, version } = await catalog.segmentChanges(0);
    this.stats.liveSegments = live.length;
    const logs = live.filter((segment) => segment.kind === "log");
    const events = live.filter((segment) => segment.kind === "events");
    const rosters = live.filter((segment) => segment.kind === "roster");
    const known = { logs, rosters, version, erasures: await catalog.unfinishedErasures(version) };
    await this.columnGiver.look(events, Date.now());
    const moreToCome = this.inflow.look(events, Date.now());
    const small = planLogJob(logs, this.limits, moreToCome);
    if (small !== null) return () => this.mergeLogs(small, known);
    const erasedId = await catalog.dueForErasure(config.eraseMs);
    const erased = live.find((segment) => segment.id === erasedId);
    if (erased !== undefined) return () => this.erase(erased, known);
    const inputs = planJob(events, this.limits, moreToCome);
    if (inputs !== null) return () => this.mergeEvents(inputs, known);
    const dueId = await catalog.dueForSquash(config.squashMs);
    const due = events.find((segment) => segment.id === dueId);
    if (due !== undefined) return () => this.squash(due, known);
    const lackingId = this.backfillBudget.isFree(Date.now()) ? await catalog.dueForBackfill(config.backfillMs) : null;
    const lacking = events.find((segment) => segment.id === lackingId);
    return lacking === undefined ? null : () => this.backfill(lacking, known);
  }

  /** Takes or renews the lease. */
  isAlone(): Promise<boolean> {
    return this.options.catalog.holdLease(COMPACTOR_LEASE, this.options.holder, LEASE_TTL_MS);
  }

  /** Removes what nobody needs any more. */
  async collect(): Promise<void> {
    this.stats.collected += await this.collector.collect();
    await this.options.catalog.finishErasures();
  }

  private async mergeEvents(inputs: LiveSegment[], known: KnownChanges): Promise<void> {
    const plan = await this.merger.plan(inputs, known, this.limits);
    const layouts = await this.layoutsOf(plan);
    const timezones = await this.options.catalog.timezonesOf([...ownTeams(plan)]);
    const growing = growingRosters(plan);
    const replaced = [...inputs, ...growing.flatMap(({ roster }) => roster ?? [])];
    await this.replace({ inputs: replaced, known }, plan.outputs.length + growing.length, async (ids) => {
      const rosters = new Map<number, SegmentFacts>();
      for (const [i, { teamId, roster }] of growing.entries()) {
        const id = ids[plan.outputs.length + i]!;
        rosters.set(teamId, await this.rosterWriter.grow({ id, teamId, roster, inputs, known }));
      }
      const { outputs, equalKeys } = await this.merger.write(plan, ids, { layouts, rosters, timezones });
      return { outputs: [...outputs, ...rosters.values()], equalKeys };
    });
  }

  /** Layouts of the projects whose files are read or written, with columns for what is new in the rows. */
  private async layoutsOf(plan: MergePlan): Promise<Layouts> {
    const { catalog } = this.options;
    const layouts = new Map<number, readonly TypedColumn[]>();
    for (const { teamId, columns } of plan.inputs) {
      if (columns > 0 && !layouts.has(teamId!)) layouts.set(teamId!, await catalog.readLayout(teamId!));
    }
    for (const teamId of ownTeams(plan)) {
      const layout = layouts.get(teamId) ?? (await catalog.readLayout(teamId));
      const isWhole = isFull(layout);
      const wanted = isWhole ? [] : chooseColumns(await this.merger.countKeys(plan, teamId));
      layouts.set(teamId, isWhole ? layout : await catalog.growLayout(teamId, wanted));
    }
    return layouts;
  }

  private async mergeLogs(inputs: LiveSegment[], known: KnownChanges): Promise<void> {
    const plan = this.logMerger.plan(inputs, known.erasures, this.limits);
    await this.replace({ inputs, known }, plan.outputs.length, async (ids) => {
      return { outputs: await this.logMerger.write(plan, ids), equalKeys: 0 };
    });
  }

  /** Works merges into a file that stands alone; most often they do not concern it. */
  private async squash(segment: LiveSegment, known: KnownChanges): Promise<void> {
    if ((await this.merger.countMoved([segment], known)) > 0) await this.mergeEvents([segment], known);
    else await this.options.catalog.noteSquashed(segment.id, known.version);
  }

  /** Gives a file that stands alone what its project has got since: columns, activity by the days of its zone. */
  private async backfill(segment: LiveSegment, known: KnownChanges): Promise<void> {
    this.backfillBudget.spend(segment.sizeBytes, Date.now());
    await this.mergeEvents([segment], known);
  }

  /** Rewrites a file without what was deleted; most often it holds nothing of it. */
  private async erase(segment: LiveSegment, known: KnownChanges): Promise<void> {
    if (segment.kind === "log") {
      if ((await this.logMerger.countErased([segment], known.erasures)) > 0) return this.mergeLogs([segment], known);
    } else if (segment.kind === "roster") {
      if ((await this.rosterWriter.countErased(segment, known)) > 0) return this.eraseRoster(segment, known);
    } else if ((await this.merger.countErased([segment], known)) > 0) return this.mergeEvents([segment], known);
    await this.options.catalog.noteErased(segment.id, known.version);
  }

  private async eraseRoster(roster: LiveSegment, known: KnownChanges): Promise<void> {
    await this.replace({ inputs: [roster], known }, 1, async ([id]) => {
      const erased = await this.rosterWriter.erase({ id: id!, roster, known });
      return { outputs: erased === null ? [] : [erased], equalKeys: 0 };
    });
  }

  /** Outputs are registered before they are written, and become live in the transaction that takes the inputs away. */
  private async replace(
    { inputs, known }: { inputs: LiveSegment[]; known: KnownChanges },
    outputCount: number,
    write: (ids: string[]) => Promise<{ outputs: SegmentFacts[]; equalKeys: number }>,
  ): Promise<void> {
    const { catalog, holder, log } = this.options;
    const startedAt = performance.now();
    const ids = Array.from({ length: outputCount }, () => crypto.randomUUID());
    const generation = Math.max(...inputs.map((input) => input.generation));
    await catalog.registerPending({ ids, writer: holder, generation, epochs: [] });
    try {
      const { outputs, equalKeys } = await write(ids);
      await catalog.replaceSegments({
        inputs: inputs.map((input) => input.id),
        outputs,
        erasedThrough: known.version,
        duplicatesMet: equalKeys,
      });
      const made = new Set(outputs.map(({ id }) => id));
      await catalog.abandon(ids.filter((id) => !made.has(id)));
      const rows = outputs.filter(({ kind }) => kind !== "roster").reduce((sum, output) => sum + output.rowCount, 0);
      this.stats.jobs++;
      this.stats.rows += rows;
      this.stats.equalKeys += equalKeys;
      if (equalKeys > 0) log(`compaction met ${equalKeys} duplicates that should not exist`);
      const ms = Math.round(performance.now() - startedAt);
      const kind = inputs[0]!.kind === "log" ? " of the log" : "";
      log(`compacted ${inputs.length} segments${kind} into ${outputs.length}: ${rows} rows in ${ms} ms`);
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
