import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import type { LiveSegment } from "../catalog/mod.ts";
import { firstLineOf, isEnvironmentError, isOutOfMemory } from "../engine/mod.ts";
import { segmentProblem } from "../verify/mod.ts";
import type { CompactionTools } from "./jobs.ts";
import { type KnownChanges, readBeside } from "./knownChanges.ts";

/** Puts files in quarantine when a job failed because of them, so that the others are worked on. */
export class Quarantine {
  constructor(private readonly options: CompactionTools) {}

  /** Of a job that failed. False: the reason lies elsewhere, and the same job may pass later. */
  async judge(error: unknown, { inputs, known }: { inputs: readonly LiveSegment[]; known: KnownChanges }) {
    const { catalog, log } = this.options;
    if (isPassing(error)) return false;
    if (isOutOfMemory(error)) return this.putAllAway(error, inputs);
    const own = await this.look(inputs);
    const found = own?.length === 0 ? await this.look(readBeside(inputs, known)) : own;
    const { liveIds } = await catalog.segmentChanges(known.version);
    // Another compactor was here, or the engine is stopping.
    if (!inputs.every(({ id }) => liveIds.has(id)) || found === null) return false;
    const bad = found.filter(({ id }) => liveIds.has(id));
    if (bad.length === 0 && !isOfData(error)) return false;
    const quarantined = new Set(await catalog.quarantined());
    for (const { id, reason } of bad) {
      if (!quarantined.has(id)) log(`compaction cannot work with ${id}: ${reason}; ${await this.putAway(id)}`);
    }
    if (own?.some(({ id }) => liveIds.has(id))) return true;
    // Without the log or the roster no input can be merged; and where each file is well, they may not be together.
    return this.putAllAway(error, inputs);
  }

  /** When they come back, they come into smaller jobs (`planner.ts`). */
  private async putAllAway(error: unknown, inputs: readonly LiveSegment[]): Promise<true> {
    for (const { id } of inputs) {
      this.options.log(`compaction of ${id} failed: ${firstLineOf(error)}; ${await this.putAway(id)}`);
    }
    return true;
  }

  /** Which of these files are not as they should be, read one by one; null when that was interrupted. */
  private async look(segments: readonly LiveSegment[]): Promise<{ id: string; reason: string }[] | null> {
    const { storage, engine } = this.options;
    const bad: { id: string; reason: string }[] = [];
    for (const segment of segments) {
      const found = await segmentProblem(segment, { storage, reader: engine });
      if (engine.isInterrupted) return null;
      if (found === null || isPassing(found.detail) || isOutOfMemory(found.detail)) continue;
      bad.push({ id: segment.id, reason: `${found.problem}, ${firstLineOf(found.detail)}` });
    }
    return bad;
  }

  /** Returns the text for the log. */
  private async putAway(id: string): Promise<string> {
    const forMs = await this.options.catalog.quarantine(id, this.options.holder);
    return `in quarantine for ${forMs / 1_000} s`;
  }
}

/** The store, the room on disk, or the end of the process: nothing is wrong with any file. */
function isPassing(error: unknown): boolean {
  if (error instanceof RetryableError) return true;
  return /^INTERRUPT Error|No space left on device/.test(describeError(error));
}

/** Errors of DuckDB that are not of the machine, and files with wrong content. */
function isOfData(error: unknown): boolean {
  if (error instanceof TerminalError) return true;
  return /^[A-Z][A-Za-z ]* Error: /.test(describeError(error)) && !isEnvironmentError(error);
}
