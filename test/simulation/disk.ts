import type {
  CheckedEvent,
  DuplicateIndex,
  LiveSegment,
  OwnedPartitions,
  SegmentFacts,
  SegmentWriter,
} from "../../src/lake/mod.ts";
import { DAY_MS, EventFlag, type EventRow, type LogRow, RetryableError } from "../../src/types/mod.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

export interface File {
  kind: "events" | "log";
  generation: number;
  events: EventRow[];
  log: LogRow[];
  /** Whole, and safe from a crash. */
  isDurable: boolean;
}

/** The files of the lake. */
export class Disk {
  readonly files = new Map<string, File>();

  /** `isBucket`: files are objects of a store elsewhere. */
  constructor(readonly isBucket: boolean) {}

  /** Files that a crash or a full disk has left behind. */
  torn = 0;

  remove(id: string): void {
    if (this.files.get(id)?.isDurable === false) this.torn++;
    this.files.delete(id);
  }
}

/** An event of this name is one that storage refuses. */
export const REFUSED = "refused by storage";

type FlushRows = Parameters<SegmentWriter["writeFlush"]>[0];
type Origin = Parameters<SegmentWriter["writeFlush"]>[1];
type FlushWritten = Awaited<ReturnType<SegmentWriter["writeFlush"]>>;

/** Tries of an upload before the flush is given up. */
const UPLOADS = 3;
/** Longer than a flush with all its tries, and than a collector waits. */
const LATE_MAX_MS = 4_000;

/**
 * Writes segments as lists of rows: half a file stands there until all of it does. An object appears whole, now or later, and its writer is
 * told or not.
 */
export class SimWriter implements Pick<SegmentWriter, "writeFlush"> {
  constructor(
    protected readonly universe: Universe,
    protected readonly process: Process,
  ) {}

  async writeFlush({ events, log }: FlushRows, o: Origin): Promise<FlushWritten> {
    const [writtenEvents, writtenLog] = await Promise.all([
      Promise.all(events.map((part) => this.writeEvents(part.id, part.rows, o))),
      log === null ? null : this.writeLog(log.id, log.rows, o),
    ]);
    return { events: writtenEvents, log: writtenLog };
  }

  private async writeEvents(id: string, rows: readonly EventRow[], o: Origin) {
    const rejected = rows.filter((row) => row.event === REFUSED).map((row) => ({ row, reason: "storage refuses it" }));
    const kept = rows.filter((row) => row.event !== REFUSED).sort((a, b) => a.teamId - b.teamId);
    if (kept.length === 0) return { facts: null, rejected };
    await this.put(id, { kind: "events", generation: o.generation, events: kept, log: [], isDurable: false });
    return { facts: factsOf(id, "events", kept, o), rejected };
  }

  private async writeLog(id: string, rows: readonly LogRow[], o: Origin) {
    const kept = [...rows].sort((a, b) => a.teamId - b.teamId);
    await this.put(id, { kind: "log", generation: o.generation, events: [], log: kept, isDurable: false });
    const timed = kept.map((row) => ({ teamId: row.teamId, timestampMs: row.version.tMs }));
    return { facts: factsOf(id, "log", timed, { ...o, partitions: [] }), rejected: [] };
  }

  protected async put(id: string, file: File): Promise<void> {
    const { scheduler, disk, trouble } = this.universe;
    if (disk.isBucket) return this.upload(id, file);
    await scheduler.point(this.process);
    const half = { ...file, events: file.events.slice(1), log: file.log.slice(1) };
    disk.files.set(id, half);
    if (trouble.draw("disk full")) throw new RetryableError("segment_not_written", "no space left on device");
    await scheduler.point(this.process);
    disk.files.set(id, { ...file, isDurable: true });
    await scheduler.point(this.process);
  }

  private async upload(id: string, file: File): Promise<void> {
    for (let left = UPLOADS; left > 0; left--) {
      await this.universe.scheduler.point(this.process);
      if (await this.putObject(id, { ...file, isDurable: true })) return;
    }
    throw new RetryableError("segment_not_written", "the bucket does not answer");
  }

  /** Whether an answer says that the object is there. */
  protected async putObject(id: string, file: File): Promise<boolean> {
    const { scheduler, random, disk, trouble } = this.universe;
    if (trouble.draw("object not stored")) return false;
    if (trouble.draw("object stored late")) {
      scheduler.after(random.int(1, LATE_MAX_MS), null, () => disk.files.set(this.nameOf(id), file));
      return false;
    }
    disk.files.set(id, file);
    await scheduler.point(this.process);
    return !trouble.draw("object stored, answer lost");
  }

  /** Under which name an object comes late. */
  protected nameOf(id: string): string {
    return id;
  }
}

function factsOf(
  id: string,
  kind: SegmentFacts["kind"],
  rows: readonly { teamId: number; timestampMs: number }[],
  o: Origin,
): SegmentFacts {
  const teams: SegmentFacts["teams"] = [];
  rows.forEach(({ teamId, timestampMs }, rowStart) => {
    let team = teams.at(-1);
    if (team?.teamId !== teamId) {
      team = { teamId, rowStart, rowCount: 0, minMs: timestampMs, maxMs: timestampMs };
      teams.push(team);
    }
    team.rowCount++;
    team.minMs = Math.min(team.minMs, timestampMs);
    team.maxMs = Math.max(team.maxMs, timestampMs);
  });
  return {
    id,
    kind,
    squashedThrough: 0,
    columns: 0,
    exceptions: [],
    isNumbered: false,
    rollupZone: null,
    hasJourney: false,
    hasPersonRows: false,
    level: o.level,
    teamId: teams.length === 1 ? teams[0]!.teamId : null,
    generation: o.generation,
    rowCount: rows.length,
    sizeBytes: rows.length,
    wideBytes: 0,
    checksum: "",
    minMs: Math.min(...teams.map((team) => team.minMs)),
    maxMs: Math.max(...teams.map((team) => team.maxMs)),
    teams,
    partitions: o.partitions,
  };
}

function keyOf({ teamId, event, distinctId, uuid }: CheckedEvent, day: number): string {
  return JSON.stringify([teamId, day, event, distinctId, uuid]);
}

const day = (timestampMs: number) => Math.floor(timestampMs / DAY_MS);

/** Knows what the live segments of its partitions hold, as of the last list it was given and what it adopted since. */
export class SimDuplicates implements Pick<DuplicateIndex, "adopt" | "check" | "isFull" | "sync"> {
  protected readonly segments = new Map<string, Set<string>>();
  readonly isFull = false;

  constructor(
    protected readonly universe: Universe,
    private readonly process: Process,
  ) {}

  async sync(live: readonly LiveSegment[], owned: OwnedPartitions): Promise<void> {
    const wanted = live.filter(
      ({ generation, partitions }) =>
        generation !== owned.generation || partitions.some((partition) => owned.partitions.has(partition)),
    );
    const missing = wanted.filter(({ id }) => !this.segments.has(id));
    if (missing.length > 0) await this.universe.scheduler.point(this.process);
    const loaded = missing.map(({ id }) => [id, this.load(id)] as const);
    const ids = new Set(wanted.map(({ id }) => id));
    for (const id of [...this.segments.keys()]) if (!ids.has(id)) this.segments.delete(id);
    for (const [id, keys] of loaded) this.segments.set(id, keys);
  }

  async adopt({ id }: SegmentFacts): Promise<void> {
    await this.universe.scheduler.point(this.process);
    this.segments.set(id, this.load(id));
  }

  async check(events: readonly CheckedEvent[]): Promise<Uint8Array> {
    const within = new Set<string>();
    const marks = events.map((event) => {
      if (event.flags & EventFlag.ServerUuid) return 0;
      const own = day(event.timestampMs);
      const days = event.flags & EventFlag.ServerTime ? [own, own - 1, own + 1] : [own];
      const names = days.map((d) => keyOf(event, d));
      const isKnown = names.some(
        (name) => within.has(name) || [...this.segments.values()].some((keys) => keys.has(name)),
      );
      if (!isKnown) within.add(names[0]!);
      return isKnown ? 1 : 0;
    });
    return Uint8Array.from(marks);
  }

  /** Takes in the keys of a file. */
  keep(id: string): void {
    this.segments.set(id, this.load(id));
  }

  protected load(id: string): Set<string> {
    const { disk, trouble } = this.universe;
    if (disk.isBucket && trouble.draw("object not read")) {
      throw new RetryableError("s3_unreachable", `the keys of segment ${id} do not come`);
    }
    const file = disk.files.get(id);
    if (file === undefined) throw new RetryableError("segment_missing", `the keys of segment ${id} are gone`);
    return new Set(file.events.map((row) => keyOf(row, day(row.timestampMs))));
  }
}
