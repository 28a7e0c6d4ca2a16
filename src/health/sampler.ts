import type { Catalog, HealthFigures, HealthNote } from "../lake/mod.ts";
import { describeError, type Lane, repeat, WeirError } from "../types/mod.ts";
import type { DiskRoom } from "./disk.ts";
import type { IngestionStatus } from "./ingestionStatus.ts";

/** How often it looks whether a minute is over, and tries again what failed. */
const LOOK_MS = 2_000;
/** So long into the next minute figures can still stand for the end of the last one; then the reason is noted. */
const TRY_MS = 45_000;

interface SamplerParts {
  catalog: Pick<Catalog, "lastMinute" | "noteHealth" | "lakeFacts">;
  /** The figures of now. Throws a WeirError while they cannot be read. */
  figures(): Promise<{ teams: Map<number, IngestionStatus>; total: IngestionStatus; workers: number; disk: DiskRoom }>;
  keep: { healthMinutesKeepMs: number; healthHoursKeepMs: number };
  log(line: string): void;
}

/** Notes the figures of each minute when it is over (DESIGN.md). Of several processes one writes a minute. */
export class Sampler {
  /** Minutes up to this time are not for this process, or done. */
  private doneMs = Number.POSITIVE_INFINITY;

  constructor(private readonly parts: SamplerParts) {}

  /** Works until it is stopped. */
  start(): { stop(): Promise<void> } {
    const work = async () => {
      await this.begin();
      return this.step();
    };
    return { stop: repeat(work, this.parts.log, LOOK_MS) };
  }

  /**
   * From here on minutes that end are noted; and the last one that did, where the one before it was noted: a writer has died
   * since then. Where the last minute cannot be read, nothing has begun.
   */
  async begin(): Promise<void> {
    if (this.doneMs < Number.POSITIVE_INFINITY) return;
    const last = await this.lastMinute();
    if (last !== null) this.doneMs = last.isContinued ? last.atMs - 1 : last.atMs;
  }

  /** Notes the last minute, where it is over and not noted; false where it is to be tried again, or there is nothing to do. */
  async step(): Promise<boolean> {
    const last = await this.lastMinute();
    if (last === null || last.atMs <= this.doneMs) return false;
    const note = await this.read();
    if (note.problem !== null && last.sinceMs < TRY_MS) return false;
    const { healthMinutesKeepMs: minutesMs, healthHoursKeepMs: hoursMs } = this.parts.keep;
    try {
      const isMine = await this.parts.catalog.noteHealth(last.atMs, note, { minutesMs, hoursMs });
      this.doneMs = last.atMs;
      return isMine;
    } catch (error) {
      this.parts.log(`the figures of a minute were not noted: ${describeError(error)}`);
      return false;
    }
  }

  private async lastMinute() {
    return this.parts.catalog.lastMinute().catch((error: unknown) => {
      this.parts.log(`the history of figures stands still: ${describeError(error)}`);
      return null;
    });
  }

  private async read(): Promise<HealthNote> {
    try {
      const { teams, total, workers, disk } = await this.parts.figures();
      const { liveSegments: files, liveBytes: fileBytes } = await this.parts.catalog.lakeFacts();
      return {
        problem: null,
        teams: new Map([...teams].map(([teamId, status]) => [teamId, figuresOf(status)])),
        total: figuresOf(total),
        machine: { workers, files, fileBytes, diskFreeBytes: disk.freeBytes },
      };
    } catch (error) {
      if (!(error instanceof WeirError)) this.parts.log(`the figures cannot be read: ${describeError(error)}`);
      return { problem: error instanceof WeirError ? error.code : "unknown" };
    }
  }
}

function figuresOf(status: IngestionStatus): HealthFigures {
  const { accepted, queued, stored, duplicates, dropped, dead_letters: deadLetters, lanes } = status;
  const lag = (lane: Lane) => Math.round(lanes[lane].lag_ms);
  return {
    accepted,
    queued,
    stored,
    duplicates,
    dropped,
    deadLetters,
    queuedMax: queued,
    lagsMs: { live: lag("live"), history: lag("history"), overflow: lag("overflow"), identity: lag("identity") },
  };
}
