import type { Catalog, LiveSegment } from "../../src/lake/mod.ts";
import { describeError, RetryableError } from "../../src/types/mod.ts";
import { SimWriter } from "./disk.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

/** A compactor that is silent for so long has lost its job. */
const CLAIM_TTL_MS = 400;
const LOOK_MS = 80;
const JOB_FILES = [2, 4] as const;

/** Merges files as the real one does: claim, register, write, swap, end. What it merges it draws. */
export class SimCompactor extends SimWriter {
  /** The last look, if it found nothing to do. */
  private idle: { versionRaises: number; sinceMs: number } | null = null;

  constructor(
    universe: Universe,
    process: Process,
    private readonly catalog: Catalog,
  ) {
    super(universe, process);
  }

  async run(): Promise<never> {
    const { scheduler, random } = this.universe;
    for (;;) {
      await scheduler.sleep(this.process, random.int(0, LOOK_MS));
      if (this.isIdle()) continue;
      try {
        await this.step();
      } catch (error) {
        this.log(describeError(error));
      }
    }
  }

  /**
   * The last look found nothing to do, and no commit or swap has happened since. A job that ended without a swap leaves the
   * version as it is, hence a look after every CLAIM_TTL_MS at least.
   */
  private isIdle(): boolean {
    const { store, scheduler } = this.universe;
    if (this.idle === null || scheduler.nowMs - this.idle.sinceMs >= CLAIM_TTL_MS) return false;
    return store.versionRaises === this.idle.versionRaises;
  }

  private async step(): Promise<void> {
    const { catalog, process, universe } = this;
    this.idle = null;
    const { versionRaises } = universe.store;
    const { added, version } = await catalog.segmentChanges(0);
    const deleted = (await catalog.unfinishedErasures(version)).flatMap(({ teamId }) => teamId);
    const inputs = await this.choose(added);
    if (inputs === null) {
      this.idle = { versionRaises, sinceMs: universe.scheduler.nowMs };
      return;
    }
    const ids = inputs.map(({ id }) => id);
    const o = { holder: process.name, kind: "events", inputs: ids, beside: [], ttlMs: CLAIM_TTL_MS };
    const jobId = await catalog.claimJob(o);
    if (jobId === null) return;
    const job = { isOver: false };
    void this.renew(jobId, job);
    try {
      await this.merge(jobId, inputs, { version, deleted: new Set(deleted) });
    } finally {
      job.isOver = true;
      await catalog.endJob(jobId);
    }
  }

  /** Some files of one kind and generation that are free. */
  private async choose(live: readonly LiveSegment[]): Promise<LiveSegment[] | null> {
    const { random } = this.universe;
    const jobs = await this.catalog.runningJobs();
    const taken = new Set([...(await this.catalog.quarantined()), ...jobs.flatMap(({ inputs }) => inputs)]);
    const free = live.filter(({ id }) => !taken.has(id));
    const groups = [...Map.groupBy(free, ({ kind, generation }) => `${kind} ${generation}`).values()];
    const ready = groups.filter((files) => files.length >= JOB_FILES[0]);
    if (ready.length === 0) return null;
    return random.pick(ready).slice(0, random.int(...JOB_FILES));
  }

  private async merge(
    jobId: string,
    inputs: readonly LiveSegment[],
    known: { version: number; deleted: ReadonlySet<number> },
  ): Promise<void> {
    const { catalog } = this;
    const { kind, generation } = inputs[0]!;
    const id = this.universe.random.uuid();
    await catalog.registerPending({ ids: [id], writer: jobId, generation, epochs: [] });
    try {
      const files = inputs.map((input) => this.read(input.id));
      const isKept = ({ teamId }: { teamId: number }) => !known.deleted.has(teamId);
      const partitions = [...new Set(inputs.flatMap((input) => input.partitions))];
      const made = await this.writeMerged(
        { id, kind: kind === "log" ? "log" : "events" },
        {
          events: files.flatMap(({ events }) => events.filter(isKept)),
          log: files.flatMap(({ log }) => log.filter(isKept)),
        },
        { generation, level: 1, partitions },
      );
      await this.stall();
      const rowsIn = files.reduce((sum, { events }) => sum + events.length, 0);
      await catalog.replaceSegments({
        jobId,
        inputs: inputs.map((input) => input.id),
        outputs: made === null ? [] : [made],
        erasedThrough: known.version,
        erasedRows: rowsIn - (made?.kind === "events" ? made.rowCount : 0),
        duplicatesMet: 0,
      });
      this.universe.observer.swaps++;
      this.log(`merged ${inputs.length} files`);
      if (made === null) await catalog.abandon([id]);
    } catch (error) {
      await catalog.abandon([id]);
      throw error;
    }
  }

  /** The process may stand still before the swap. */
  private async stall(): Promise<void> {
    const { scheduler, trouble, random } = this.universe;
    if (trouble.draw("compactor paused past its claim")) {
      this.process.pausedUntilMs = scheduler.nowMs + CLAIM_TTL_MS + random.int(100, 1_500);
    }
    await scheduler.point(this.process);
  }

  private read(id: string) {
    const file = this.universe.disk.files.get(id);
    if (file === undefined) throw new RetryableError("segment_missing", `segment ${id} is gone`);
    return file;
  }

  private async renew(jobId: string, job: { isOver: boolean }): Promise<void> {
    for (;;) {
      await this.universe.scheduler.sleep(this.process, CLAIM_TTL_MS / 3);
      if (job.isOver) return;
      await this.catalog.renewJob(jobId, CLAIM_TTL_MS).catch((error) => this.log(describeError(error)));
    }
  }

  private log(text: string): void {
    this.universe.log(this.process.name, text);
  }
}
