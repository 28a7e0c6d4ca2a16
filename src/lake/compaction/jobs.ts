import { only, TerminalError } from "../../types/mod.ts";
import { type Catalog, isFull, type LiveSegment, type SegmentFacts } from "../catalog/mod.ts";
import type { StoppableEngine } from "../engine/mod.ts";
import { locationsOf, type SegmentStore } from "../storage/mod.ts";
import { chooseColumns, type TypedColumn } from "../typed/mod.ts";
import { Inspector, type MergePlan, ownTeams, sum } from "./inspector.ts";
import type { KnownChanges } from "./knownChanges.ts";
import { LogMerger } from "./logMerger.ts";
import { Merger, type MergerOptions } from "./merger.ts";
import { cutToADay } from "./outputs.ts";
import type { CompactionLimits } from "./planner.ts";
import { RosterWriter, teamsToNumber } from "./rosterWriter.ts";
import type { Layouts } from "./typedRows.ts";

/** Shared by the parts of a compactor. */
export interface CompactionTools {
  catalog: Catalog;
  storage: SegmentStore;
  engine: StoppableEngine;
  /** Names this process in its jobs and leases. */
  holder: string;
  log(message: string): void;
}

interface JobsOptions extends CompactionTools, MergerOptions {
  limits: CompactionLimits;
  /** Rows of the log of a project that are reduced at once. */
  logPartRows: number;
}

/** Totals since the start of the process. */
export interface JobStats {
  jobs: number;
  rows: number;
  /** Duplicates that should not exist. */
  equalKeys: number;
}

/** A job whose files are claimed. */
export interface ClaimedJob {
  id: string;
  inputs: LiveSegment[];
  known: KnownChanges;
}

/** What a swap brings, and what it says of the events that it takes away. */
interface Written {
  outputs: SegmentFacts[];
  equalKeys: number;
  erasedRows: number;
}

/** The roster of a project is another job's by a lease of this name, followed by the project's id. */
const ROSTER = "roster/";
const ROSTER_TTL_MS = 30_000;
const ROSTER_LOOK_MS = 50;

/** Carries out jobs. Inputs go and outputs come in one swap, which happens whole or not at all. */
export class Jobs {
  readonly stats: JobStats = { jobs: 0, rows: 0, equalKeys: 0 };
  private readonly inspector: Inspector;
  private readonly merger: Merger;
  private readonly logMerger: LogMerger;
  private readonly rosterWriter: RosterWriter;

  constructor(private readonly options: JobsOptions) {
    const { storage, engine } = options;
    this.inspector = new Inspector(storage, engine);
    this.merger = new Merger(storage, engine, this.inspector, options);
    this.logMerger = new LogMerger(storage, engine, options.logPartRows);
    this.rosterWriter = new RosterWriter(storage, engine);
  }

  /** Into files of the target size; projects with files of their own get columns, numbers and daily rollups. */
  async mergeEvents(claimed: ClaimedJob): Promise<void> {
    const { catalog, storage } = this.options;
    const plan = await this.planEvents(claimed);
    const job = { ...claimed, inputs: plan.inputs };
    const layouts = await this.layoutsOf(plan);
    const timezones = await catalog.timezonesOf([...ownTeams(plan)]);
    const rosters = new Map<number, SegmentFacts>();
    for (const teamId of teamsToNumber(plan)) rosters.set(teamId, await this.growRoster(job, teamId));
    const ids = plan.outputs.map(({ id }) => id);
    await this.merge(job, ids, async () => {
      const write = () => this.merger.write(plan, { layouts, rosters, timezones });
      const merged = await storage.hold(locationsOf(storage, [...rosters.values()]), write);
      return { ...merged, erasedRows: erasedRows(plan) };
    });
  }

  /** May leave inputs out, which stay as they are. */
  private async planEvents({ inputs, known }: ClaimedJob): Promise<MergePlan> {
    const { limits } = this.options;
    const plan = await this.inspector.plan(inputs, known, limits);
    const fewer = cutToADay(inputs, plan.outputs, limits);
    return fewer === null ? plan : this.inspector.plan(fewer, known, limits);
  }

  /** Numbers for all persons in the inputs, in a swap of its own: the events can wait, other jobs of the project cannot. */
  private growRoster({ id: jobId, inputs, known }: ClaimedJob, teamId: number): Promise<SegmentFacts> {
    return this.withRoster(jobId, teamId, async (roster) => {
      const id = crypto.randomUUID();
      const replaced = roster === null ? [] : [roster];
      const o = { id, teamId, roster, inputs, known };
      const { outputs } = await this.swap({ jobId, known, replaced, inputs, ids: [id] }, async () => {
        const read = locationsOf(this.options.storage, replaced);
        const grown = await this.options.storage.hold(read, () => this.rosterWriter.grow(o));
        return { outputs: [grown], equalKeys: 0, erasedRows: 0 };
      });
      return only(outputs);
    });
  }

  /** Waits for the jobs that change the roster of a project before this one. */
  private async withRoster<T>(
    jobId: string,
    teamId: number,
    body: (roster: LiveSegment | null) => Promise<T>,
  ): Promise<T> {
    const { catalog, engine } = this.options;
    const name = ROSTER + teamId;
    while (!(await catalog.holdLease(name, jobId, ROSTER_TTL_MS))) {
      engine.checkRunning();
      await Bun.sleep(ROSTER_LOOK_MS);
    }
    try {
      return await body(await catalog.takeRoster(jobId, teamId));
    } finally {
      await catalog.releaseLease(name, jobId);
    }
  }

  /** Layouts of the projects whose files are read or written, with columns for new keys in the rows. */
  private async layoutsOf(plan: MergePlan): Promise<Layouts> {
    const { catalog } = this.options;
    const layouts = new Map<number, readonly TypedColumn[]>();
    for (const { teamId, columns } of plan.inputs) {
      if (teamId === null || columns === 0 || layouts.has(teamId)) continue;
      layouts.set(teamId, await catalog.readLayout(teamId));
    }
    for (const teamId of ownTeams(plan)) {
      const layout = layouts.get(teamId) ?? (await catalog.readLayout(teamId));
      const isWhole = isFull(layout);
      const wanted = isWhole ? [] : chooseColumns(await this.inspector.countKeys(plan, teamId));
      layouts.set(teamId, isWhole ? layout : await catalog.growLayout(teamId, wanted));
    }
    return layouts;
  }

  /** Into the rows that have an effect. Where that takes long, other jobs are done in between. */
  async mergeLogs(job: ClaimedJob): Promise<void> {
    const plan = this.logMerger.plan(job.inputs, job.known.erasures, this.options.limits);
    const ids = plan.outputs.map(({ id }) => id);
    await this.merge(job, ids, async () => {
      return { outputs: await this.logMerger.write(plan, this.options.between), equalKeys: 0, erasedRows: 0 };
    });
  }

  /** Works merges of persons into one file; most often they do not concern it. */
  async squash(job: ClaimedJob): Promise<void> {
    const { inputs, known } = job;
    if ((await this.inspector.countMoved(inputs, known)) > 0) await this.mergeEvents(job);
    else await this.options.catalog.noteSquashed(only(inputs).id, known.version);
  }

  /** Rewrites a file without deleted rows; most often it has none. */
  async erase(job: ClaimedJob): Promise<void> {
    const { inputs, known } = job;
    const segment = only(inputs);
    if (segment.kind === "log") {
      if ((await this.logMerger.countErased(inputs, known.erasures)) > 0) return this.mergeLogs(job);
    } else if (segment.kind === "roster") {
      if ((await this.rosterWriter.countErased(segment, known)) > 0) return this.eraseRoster(job, segment);
    } else if ((await this.inspector.countErased(inputs, known)) > 0) return this.mergeEvents(job);
    await this.options.catalog.noteErased(segment.id, known.version);
  }

  private async eraseRoster(job: ClaimedJob, roster: LiveSegment): Promise<void> {
    if (roster.teamId === null) throw new TerminalError("segment_corrupt", `roster ${roster.id} has no project`);
    await this.withRoster(job.id, roster.teamId, async (now) => {
      // Another job has replaced it meanwhile: that one is due then.
      if (now?.id !== roster.id) return;
      const id = crypto.randomUUID();
      await this.merge(job, [id], async () => {
        const erased = await this.rosterWriter.erase({ id, roster, known: job.known });
        return { outputs: erased === null ? [] : [erased], equalKeys: 0, erasedRows: 0 };
      });
    });
  }

  /** The swap of a job: its inputs go. */
  private async merge({ id: jobId, inputs, known }: ClaimedJob, ids: string[], write: () => Promise<Written>) {
    const { log } = this.options;
    const startedAt = performance.now();
    const { outputs, equalKeys } = await this.swap({ jobId, known, replaced: inputs, inputs, ids }, write);
    const rows = outputs.filter(({ kind }) => kind !== "roster").reduce((sum, output) => sum + output.rowCount, 0);
    this.stats.jobs++;
    this.stats.rows += rows;
    this.stats.equalKeys += equalKeys;
    if (equalKeys > 0) log(`compaction met ${equalKeys} duplicates that should not exist`);
    const ms = Math.round(performance.now() - startedAt);
    const kind = inputs[0]?.kind === "log" ? " of the log" : "";
    log(`compacted ${inputs.length} segments${kind} into ${outputs.length}: ${rows} rows in ${ms} ms`);
  }

  /**
   * Outputs are registered before they are written, and become live in the transaction that takes the replaced files away, which are
   * inputs of the job or the roster that it has taken.
   */
  private async swap(
    o: { jobId: string; known: KnownChanges; replaced: LiveSegment[]; inputs: LiveSegment[]; ids: string[] },
    write: () => Promise<Written>,
  ): Promise<Written> {
    const { catalog } = this.options;
    const { jobId, known, replaced, inputs, ids } = o;
    const generation = Math.max(...inputs.map((input) => input.generation));
    await catalog.registerPending({ ids, writer: jobId, generation, epochs: [] });
    try {
      const written = await write();
      await catalog.replaceSegments({
        jobId,
        inputs: replaced.map(({ id }) => id),
        outputs: written.outputs,
        erasedThrough: known.version,
        erasedRows: written.erasedRows,
        duplicatesMet: written.equalKeys,
      });
      const made = new Set(written.outputs.map(({ id }) => id));
      await catalog.abandon(ids.filter((id) => !made.has(id)));
      return written;
    } catch (error) {
      // Had the swap happened after all, the outputs would not be pending and this would change nothing.
      await catalog.abandon(ids);
      throw error;
    }
  }
}

/** Events that the outputs of a plan leave out; where nothing was deleted none may be. */
function erasedRows({ inputs, outputs, known }: MergePlan): number {
  if (known.erasures.length === 0) return 0;
  return sum(inputs, (input) => input.rowCount) - sum(outputs, (output) => output.rows);
}
