import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { LiveSegment } from "../catalog/types.ts";
import { isEnvironmentError } from "../duckdb.ts";
import { segmentProblem } from "../verify/segmentProblem.ts";
import { type KnownChanges, ofSameTeams } from "./knownChanges.ts";
import type { StoppableEngine } from "./stoppableEngine.ts";

export interface SetAsideOptions {
  catalog: Pick<Catalog, "segmentChanges" | "segmentsAside" | "setAside">;
  /** Where the segments lie. */
  directory: string;
  holder: string;
  engine: StoppableEngine;
  log(message: string): void;
}

/** For so long first, and twice as long each time that it fails again, */
const FIRST_MS = 60_000;
/** up to this. */
const LONGEST_MS = 3_600_000;

/** Leaves files alone for a while when a job failed for a reason that lies in them, so that the others are worked on. */
export class SetAside {
  /** How often, by segment, since the start of the process. */
  private readonly times = new Map<string, number>();

  constructor(private readonly options: SetAsideOptions) {}

  /** Of a job that failed. False: the reason lies elsewhere, and the same job may pass later. */
  async judge(error: unknown, { inputs, known }: { inputs: readonly LiveSegment[]; known: KnownChanges }) {
    const { catalog, log } = this.options;
    if (isPassing(error)) return false;
    const own = await this.look(inputs);
    const found = own?.length === 0 ? await this.look(readBeside(inputs, known)) : own;
    const { liveIds } = await catalog.segmentChanges(known.version);
    // Another compactor was here, or the engine is stopping.
    if (!inputs.every(({ id }) => liveIds.has(id)) || found === null) return false;
    const bad = found.filter(({ id }) => liveIds.has(id));
    if (bad.length === 0 && !isOfData(error)) return false;
    this.forget(liveIds);
    const aside = new Set(await catalog.segmentsAside());
    for (const { id, reason } of bad) {
      if (!aside.has(id)) log(`compaction cannot work with ${id}: ${reason}; ${await this.putAway(id)}`);
    }
    if (own?.some(({ id }) => liveIds.has(id))) return true;
    // Without the log or the roster no input can be merged; and where each file is well, they may not be together.
    for (const { id } of inputs) {
      log(`compaction of ${id} failed: ${firstLine(describeError(error))}; ${await this.putAway(id)}`);
    }
    return true;
  }

  /** Which of these files are not as they should be, read one by one; null when that was interrupted. */
  private async look(segments: readonly LiveSegment[]): Promise<{ id: string; reason: string }[] | null> {
    const { directory, engine } = this.options;
    const bad: { id: string; reason: string }[] = [];
    for (const segment of segments) {
      const found = await segmentProblem(segment, directory, engine);
      if (engine.isInterrupted) return null;
      if (found === null || isPassing(found.detail)) continue;
      bad.push({ id: segment.id, reason: `${found.problem}, ${firstLine(found.detail)}` });
    }
    return bad;
  }

  /** Says for how long. */
  private async putAway(id: string): Promise<string> {
    const times = this.times.get(id) ?? 0;
    this.times.set(id, times + 1);
    const forMs = Math.min(FIRST_MS * 2 ** times, LONGEST_MS);
    await this.options.catalog.setAside(id, this.options.holder, forMs);
    return `set aside for ${forMs / 1_000} s`;
  }

  private forget(liveIds: ReadonlySet<string>): void {
    for (const id of this.times.keys()) if (!liveIds.has(id)) this.times.delete(id);
  }
}

/** What a job reads beside its inputs. */
function readBeside(inputs: readonly LiveSegment[], { logs, rosters }: KnownChanges): LiveSegment[] {
  const isInput = new Set(inputs.map(({ id }) => id));
  return ofSameTeams([...logs, ...rosters], inputs).filter(({ id }) => !isInput.has(id));
}

/** The store, the memory or the room on disk: nothing is wrong with any file. */
function isPassing(error: unknown): boolean {
  if (error instanceof RetryableError) return true;
  return /^(Out of Memory|INTERRUPT) Error|No space left on device/.test(describeError(error));
}

/** DuckDB shows the statement below. */
const firstLine = (text: string): string => text.split("\n", 1)[0]!;

/** Errors of DuckDB that are not of the machine, and files that do not hold what they should. */
function isOfData(error: unknown): boolean {
  if (error instanceof TerminalError) return true;
  return /^[A-Z][A-Za-z ]* Error: /.test(describeError(error)) && !isEnvironmentError(error);
}
