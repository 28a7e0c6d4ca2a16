import { dayOf } from "../../types/mod.ts";
import type { Erasure, LiveSegment, SegmentFacts } from "../catalog/mod.ts";
import { Engine } from "../engine/mod.ts";
import { type SegmentStore, spillDirectory } from "../storage/mod.ts";
import { confirmHits, type Hit } from "./confirm.ts";
import { KeyFile } from "./keyFile.ts";
import { type HeldKeys, KeyFilters } from "./keyFilters.ts";
import { KeyTable } from "./keyTable.ts";
import { MappedKeys } from "./mappedKeys.ts";
import { type CheckedEvent, groupProbes, makeProbes, markCopiesWithin, type Probe } from "./probes.ts";

/** The partitions of a generation that the index answers for. */
export interface OwnedPartitions {
  generation: number;
  partitions: ReadonlySet<number>;
}

const CONFIRM_MEMORY_BYTES = 512 * 1024 ** 2;
const CONFIRM_SPILL_BYTES = 4 * 1024 ** 3;
const MAPPED_FILES_MAX = 512;

/**
 * Knows for every stored event of its partitions whether a copy came again (protocol rule 15). Keys of uncompacted
 * segments are in memory, those of compacted ones are looked up in their mapped key files, behind filters.
 *
 * It knows exactly the live segments given to the last `sync`, and those adopted since. A compaction
 * after that changes nothing: the keys of its inputs are still in memory (or in mapped files), and the next `sync`
 * takes inputs away and brings outputs in at once, since both come from one version of the catalog. Only confirming a
 * hit needs the input's file: hold it by a pin older than the list, else `segment_missing` asks for another sync.
 */
export class DuplicateIndex {
  private readonly table = new KeyTable();
  private readonly mapped: MappedKeys;
  private readonly filters: KeyFilters;
  private readonly engine: Engine;
  /** Segments whose keys are in the table, by owner number and by id. */
  private readonly inMemory = new Map<number, string>();
  private readonly numberOf = new Map<string, number>();
  private compacted: SegmentFacts[] = [];
  /** Deleted events count as never stored: they may be sent again before files are rewritten. */
  private erasures: readonly Erasure[] = [];
  /** How the files of the list are read. */
  private readonly files = new Map<string, Pick<LiveSegment, "id" | "erasedThrough" | "columns">>();
  private nextNumber = 1;

  /** `filterBytes`: of the filters in front of key files. */
  constructor(
    private readonly options: {
      storage: SegmentStore;
      maxKeys: number;
      memoryLimitBytes?: number;
      filterBytes: number;
    },
  ) {
    this.mapped = new MappedKeys(options.storage, MAPPED_FILES_MAX);
    this.filters = new KeyFilters(options.filterBytes);
    this.engine = new Engine({
      threads: 1,
      memoryLimitBytes: options.memoryLimitBytes ?? CONFIRM_MEMORY_BYTES,
      tempDirectory: spillDirectory(options.storage.workDirectory),
      tempLimitBytes: CONFIRM_SPILL_BYTES,
    });
  }

  /** The history lane should wait for compaction: no more keys are wanted in memory. */
  get isFull(): boolean {
    return this.table.keyCount >= this.options.maxKeys;
  }

  /** Keys in memory. */
  get keyCount(): number {
    return this.table.keyCount;
  }

  /**
   * Takes over the catalog's list of live segments, read after the last `adopt`, and what may still be in them although
   * it was deleted. Nothing has changed when it throws (RetryableError `segment_missing`: the list is older than the
   * collector's last round).
   */
  async sync(live: readonly LiveSegment[], owned: OwnedPartitions, erasures: readonly Erasure[] = []): Promise<void> {
    const wanted = live.filter((segment) => mayHold(segment, owned));
    const fresh = wanted.filter((segment) => segment.level === 0);
    const missing = fresh.filter((segment) => !this.numberOf.has(segment.id));
    const loaded = await Promise.all(missing.map(async ({ id }) => ({ id, keys: await this.load(id) })));

    const keep = new Set(fresh.map((segment) => segment.id));
    for (const [id, number] of this.numberOf) if (!keep.has(id)) this.drop(id, number);
    for (const { id, keys } of loaded) this.insert(id, keys);
    const compacted = wanted.filter((segment) => segment.level > 0);
    const ids = new Set(compacted.map((segment) => segment.id));
    for (const { id } of this.compacted) if (!ids.has(id)) this.mapped.forget(id);
    this.compacted = compacted;
    this.erasures = erasures;
    this.files.clear();
    for (const segment of wanted) this.files.set(segment.id, segment);
  }

  /** After the confirmed commit of a segment that this worker wrote. */
  async adopt(segment: SegmentFacts): Promise<void> {
    if (!this.numberOf.has(segment.id)) this.insert(segment.id, await this.load(segment.id));
  }

  /**
   * Marks with 1 every event that is stored already, or that is a copy of an earlier one in the array.
   * Events whose uuid the server made have no copies. Changes nothing.
   */
  async check(events: readonly CheckedEvent[]): Promise<Uint8Array> {
    const marks = new Uint8Array(events.length);
    const probes = makeProbes(events);
    const segmentIds = new Set<string>();
    const suspects: Probe[] = [];
    const note = (probe: Probe, segmentId: string) => {
      if (suspects.at(-1) !== probe) suspects.push(probe);
      segmentIds.add(segmentId);
    };
    this.probeMemory(probes, note);
    await this.probeCompacted(events, probes, note);
    if (suspects.length > 0) {
      const hits = suspects.map(({ index, day }): Hit => ({ ...events[index]!, index, day }));
      const { storage } = this.options;
      // Segments adopted since the list was read were written without deleted events.
      const files = [...segmentIds].map((id) => this.files.get(id) ?? { id, erasedThrough: Infinity, columns: 0 });
      const { erasures } = this;
      for (const index of await confirmHits(this.engine, { storage, files, erasures }, hits)) marks[index] = 1;
    }
    markCopiesWithin(events, probes, marks);
    return marks;
  }

  async close(): Promise<void> {
    await this.engine.close();
  }

  private probeMemory(probes: readonly Probe[], note: (probe: Probe, segmentId: string) => void): void {
    const { table } = this;
    for (const probe of probes) {
      const { low, high } = probe;
      for (let slot = table.first(low, high); slot !== -1; slot = table.next(slot, low, high)) {
        note(probe, this.inMemory.get(table.ownerAt(slot))!);
      }
    }
  }

  /** Grouped by project and day, since most files hold no rows of most of them. */
  private async probeCompacted(
    events: readonly CheckedEvent[],
    probes: readonly Probe[],
    note: (probe: Probe, segmentId: string) => void,
  ): Promise<void> {
    this.filters.begin();
    for (const { teamId, day, probes: asked } of groupProbes(events, probes)) {
      const files = await this.filesWith(teamId, day);
      const { filter, beside, behind } = this.filters.search({ teamId, day, asked: asked.length }, files);
      const passed = filter === null ? [] : asked.filter(({ low, high }) => filter.mayHold(low, high));
      for (const file of beside) for (const probe of foundIn(file, asked)) note(probe, file.segmentId);
      for (const file of behind) for (const probe of foundIn(file, passed)) note(probe, file.segmentId);
    }
  }

  private async filesWith(teamId: number, day: number): Promise<HeldKeys[]> {
    const files: HeldKeys[] = [];
    for (const segment of this.compacted) {
      if (!holdsDay(segment, teamId, day)) continue;
      const keys = await this.mapped.get(segment.id);
      const range = keys.range(teamId, day);
      if (range !== null) files.push({ segmentId: segment.id, keys, range });
    }
    return files;
  }

  private async load(segmentId: string): Promise<KeyFile> {
    const { storage } = this.options;
    return new KeyFile(await storage.read(storage.locate({ id: segmentId, part: "keys" })));
  }

  private insert(segmentId: string, { halves }: KeyFile): void {
    const number = this.nextNumber++;
    this.inMemory.set(number, segmentId);
    this.numberOf.set(segmentId, number);
    for (let i = 0; i < halves.length; i += 2) this.table.add(halves[i]!, halves[i + 1]!, number);
  }

  private drop(segmentId: string, number: number): void {
    this.table.remove(number);
    this.numberOf.delete(segmentId);
    this.inMemory.delete(number);
  }
}

/** Not in the loop that waits for files: engines make slow code of loops in async functions. */
function foundIn({ keys, range }: HeldKeys, probes: readonly Probe[]): Probe[] {
  return probes.filter(({ low, high }) => keys.has(range, low, high));
}

/** A copy is always in the same partition of its generation; partitions of other generations mean nothing here. */
function mayHold(segment: SegmentFacts, owned: OwnedPartitions): boolean {
  return segment.generation !== owned.generation || segment.partitions.some((p) => owned.partitions.has(p));
}

function holdsDay(segment: SegmentFacts, teamId: number, day: number): boolean {
  const range = findTeam(segment, teamId);
  return range !== undefined && dayOf(range.minMs) <= day && day <= dayOf(range.maxMs);
}

/** `teams` is in ascending order. */
function findTeam({ teams }: SegmentFacts, teamId: number) {
  let low = 0;
  let high = teams.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const team = teams[middle]!;
    if (team.teamId === teamId) return team;
    if (team.teamId < teamId) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
