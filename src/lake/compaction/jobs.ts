import { type Catalog, isFull, type LiveSegment, type SegmentFacts } from "../catalog/mod.ts";
import type { StoppableEngine } from "../engine/mod.ts";
import { locationsOf, type SegmentStore } from "../storage/mod.ts";
import { chooseColumns, type TypedColumn } from "../typed/mod.ts";
import { Inspector, type MergePlan, ownTeams, sum } from "./inspector.ts";
import type { KnownChanges } from "./knownChanges.ts";
import { LogMerger } from "./logMerger.ts";
import { Merger } from "./merger.ts";
import type { CompactionLimits } from "./planner.ts";
import { growingRosters, RosterWriter } from "./rosterWriter.ts";
import type { Layouts } from "./typedRows.ts";

/** Shared by the parts of a compactor. */
export interface CompactionTools {
  catalog: Catalog;
  storage: SegmentStore;
  engine: StoppableEngine;
  /** Names this process in the lease and in the segments that it registers. */
  holder: string;
  log(message: string): void;
}

/** Totals since the start of the process. */
export interface JobStats {
  jobs: number;
  rows: number;
  /** Duplicates that should not exist. */
  equalKeys: number;
}

/** Carries out jobs. Each job is one swap: it happens whole or not at all. */
export class Jobs {
  readonly stats: JobStats = { jobs: 0, rows: 0, equalKeys: 0 };
  private readonly inspector: Inspector;
  private readonly merger: Merger;
  private readonly logMerger: LogMerger;
  private readonly rosterWriter: RosterWriter;

  /** `hasPersonRows`: whether files get their rows in order of person, too. */
  constructor(private readonly options: CompactionTools & { limits: CompactionLimits; hasPersonRows: boolean }) {
    const { storage, engine, hasPersonRows } = options;
    this.inspector = new Inspector(storage, engine);
    this.merger = new Merger(storage, engine, this.inspector, hasPersonRows);
    this.logMerger = new LogMerger(storage, engine);
    this.rosterWriter = new RosterWriter(storage, engine);
  }

  /** Into files of the target size; projects with files of their own get columns, numbers and daily rollups. */
  async mergeEvents(inputs: LiveSegment[], known: KnownChanges): Promise<void> {
    const plan = await this.inspector.plan(inputs, known, this.options.limits);
    const layouts = await this.layoutsOf(plan);
    const { catalog, storage } = this.options;
    const timezones = await catalog.timezonesOf([...ownTeams(plan)]);
    const growing = growingRosters(plan);
    const replaced = [...inputs, ...growing.flatMap(({ roster }) => roster ?? [])];
    const ids = [...plan.outputs, ...growing].map(({ id }) => id);
    await this.replace({ inputs: replaced, known, ids }, async () => {
      const rosters = new Map<number, SegmentFacts>();
      for (const { id, teamId, roster } of growing) {
        rosters.set(teamId, await this.rosterWriter.grow({ id, teamId, roster, inputs, known }));
      }
      const write = () => this.merger.write(plan, { layouts, rosters, timezones });
      const { outputs, equalKeys } = await storage.hold(locationsOf(storage, [...rosters.values()]), write);
      return { outputs: [...outputs, ...rosters.values()], equalKeys, erasedRows: erasedRows(plan) };
    });
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

  /** Into the rows that have an effect. */
  async mergeLogs(inputs: LiveSegment[], known: KnownChanges): Promise<void> {
    const plan = this.logMerger.plan(inputs, known.erasures, this.options.limits);
    const ids = plan.outputs.map(({ id }) => id);
    await this.replace({ inputs, known, ids }, async () => {
      return { outputs: await this.logMerger.write(plan), equalKeys: 0, erasedRows: 0 };
    });
  }

  /** Works merges of persons into one file; most often they do not concern it. */
  async squash(segment: LiveSegment, known: KnownChanges): Promise<void> {
    if ((await this.inspector.countMoved([segment], known)) > 0) await this.mergeEvents([segment], known);
    else await this.options.catalog.noteSquashed(segment.id, known.version);
  }

  /** Rewrites a file without deleted rows; most often it has none. */
  async erase(segment: LiveSegment, known: KnownChanges): Promise<void> {
    if (segment.kind === "log") {
      if ((await this.logMerger.countErased([segment], known.erasures)) > 0) return this.mergeLogs([segment], known);
    } else if (segment.kind === "roster") {
      if ((await this.rosterWriter.countErased(segment, known)) > 0) return this.eraseRoster(segment, known);
    } else if ((await this.inspector.countErased([segment], known)) > 0) return this.mergeEvents([segment], known);
    await this.options.catalog.noteErased(segment.id, known.version);
  }

  private async eraseRoster(roster: LiveSegment, known: KnownChanges): Promise<void> {
    const id = crypto.randomUUID();
    await this.replace({ inputs: [roster], known, ids: [id] }, async () => {
      const erased = await this.rosterWriter.erase({ id, roster, known });
      return { outputs: erased === null ? [] : [erased], equalKeys: 0, erasedRows: 0 };
    });
  }

  /** Outputs are registered before they are written, and become live in the transaction that takes the inputs away. */
  private async replace(
    { inputs, known, ids }: { inputs: LiveSegment[]; known: KnownChanges; ids: string[] },
    write: () => Promise<{ outputs: SegmentFacts[]; equalKeys: number; erasedRows: number }>,
  ): Promise<void> {
    const { catalog, holder, log } = this.options;
    const startedAt = performance.now();
    const generation = Math.max(...inputs.map((input) => input.generation));
    await catalog.registerPending({ ids, writer: holder, generation, epochs: [] });
    try {
      const { outputs, equalKeys, erasedRows } = await write();
      await catalog.replaceSegments({
        inputs: inputs.map((input) => input.id),
        outputs,
        erasedThrough: known.version,
        erasedRows,
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
      const kind = inputs[0]?.kind === "log" ? " of the log" : "";
      log(`compacted ${inputs.length} segments${kind} into ${outputs.length}: ${rows} rows in ${ms} ms`);
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
