import type { KeyFile, KeyRange } from "./keyFile.ts";
import { bytesFor, KeyFilter } from "./keyFilter.ts";

/** The keys that a file has of one project and day. */
export interface HeldKeys {
  segmentId: string;
  keys: KeyFile;
  range: KeyRange;
}

/** Where the keys of one project and day are looked for. */
export interface Search {
  /** Of all files but those in `beside`; null: of none. */
  filter: KeyFilter | null;
  /** They are searched for each key. */
  beside: readonly HeldKeys[];
  /** They are searched for keys that pass the filter. */
  behind: readonly HeldKeys[];
}

/** Of one project and day. */
interface Entry {
  filter: KeyFilter | null;
  /** Ids of segments whose keys are in the filter. */
  covered: Set<string>;
  /** Looks into files since a filter was made, or had no room. */
  looks: number;
  /** Number of the last check that asked for it. */
  askedAt: number;
}

/** Of fewer files, each is searched: that is as fast. */
const LEAST_FILES = 3;
/** A look into a file takes as long as adding so many keys to a filter. So a filter is made once it would have paid. */
const KEYS_PER_LOOK = 16;
/** A check that has added so many keys to filters, in about 10 ms, adds no further file: a worker that has just begun does not wait for filters. */
const KEYS_PER_CHECK = 1_000_000;
/** Of the memory, for one filter: a project of very many events leaves some to others. */
const LARGEST_SHARE = 1 / 2;
/** A filter that so many checks did without gives way to another one. */
const IDLE_CHECKS = 16;
/** Projects and days that looks are counted of. */
const ENTRIES_MAX = 4_096;

/**
 * Filters of the keys in compacted files, one for each project and day that is asked for often. The more files have rows of a day, the more
 * of them each event of that day would have to be looked for in. Keys are only added: what compaction writes anew is in the filter
 * already, and a key that is in no file any more costs a look.
 */
export class KeyFilters {
  private readonly entries = new Map<string, Entry>();
  private ownBytes = 0;
  private checks = 0;
  private keysLeft = 0;

  /** `maxBytes`: of all filters together, eight at least. */
  constructor(private readonly maxBytes: number) {}

  /** Of all filters together. */
  get bytes(): number {
    return this.ownBytes;
  }

  /** Another check begins. */
  begin(): void {
    this.checks++;
    this.keysLeft = KEYS_PER_CHECK;
  }

  /** How `asked` keys of a project and day are looked for in these files, all that have some of it. */
  search(group: { teamId: number; day: number; asked: number }, files: readonly HeldKeys[]): Search {
    if (files.length < LEAST_FILES) return { filter: null, beside: files, behind: [] };
    const entry = this.entryOf(`${group.teamId} ${group.day}`);
    entry.looks += group.asked * files.length;
    const keys = files.reduce((sum, { range }) => sum + range.end - range.first, 0);
    if (keys > (entry.filter?.room ?? 0) && entry.looks * KEYS_PER_LOOK >= keys) this.makeRoom(entry, keys);
    this.cover(entry, files);
    const { filter, covered } = entry;
    if (filter === null) return { filter, beside: files, behind: [] };
    const beside = files.filter(({ segmentId }) => !covered.has(segmentId));
    return { filter, beside, behind: files.filter(({ segmentId }) => covered.has(segmentId)) };
  }

  private entryOf(name: string): Entry {
    const entry = this.entries.get(name) ?? { filter: null, covered: new Set(), looks: 0, askedAt: 0 };
    entry.askedAt = this.checks;
    this.entries.delete(name);
    this.entries.set(name, entry);
    if (this.entries.size > ENTRIES_MAX) for (const oldest of this.entries.keys().take(1)) this.forget(oldest);
    return entry;
  }

  private forget(name: string): void {
    this.ownBytes -= this.entries.get(name)?.filter?.bytes ?? 0;
    this.entries.delete(name);
  }

  /** A new filter, which this check and the next ones fill; none where filters in use leave no memory for it. */
  private makeRoom(entry: Entry, keys: number): void {
    const bytes = Math.min(bytesFor(keys), this.largestBytes);
    const own = entry.filter?.bytes ?? 0;
    // One of the largest size takes more keys than it has room for.
    if (bytes === own) return;
    entry.looks = 0;
    const othersMax = this.maxBytes - bytes;
    if (this.ownBytes - own > othersMax) this.forgetIdle(othersMax + own);
    if (this.ownBytes - own > othersMax) return;
    this.ownBytes += bytes - own;
    entry.filter = new KeyFilter(bytes);
    entry.covered = new Set();
  }

  /** A power of two, as the size of each filter is. */
  private get largestBytes(): number {
    return 2 ** Math.floor(Math.log2(this.maxBytes * LARGEST_SHARE));
  }

  /** Those that were not asked for lately, the longest unused first, until all are of `toBytes` together. */
  private forgetIdle(toBytes: number): void {
    for (const [name, { askedAt, filter }] of this.entries) {
      if (this.ownBytes <= toBytes || askedAt + IDLE_CHECKS >= this.checks) return;
      if (filter !== null) this.forget(name);
    }
  }

  private cover({ filter, covered }: Entry, files: readonly HeldKeys[]): void {
    if (filter === null) return;
    const ids = new Set(files.map(({ segmentId }) => segmentId));
    for (const id of covered) if (!ids.has(id)) covered.delete(id);
    for (const { segmentId, keys, range } of files) {
      if (covered.has(segmentId)) continue;
      if (this.keysLeft <= 0) return;
      this.keysLeft -= range.end - range.first;
      filter.add(keys.halves, range);
      covered.add(segmentId);
    }
  }
}
