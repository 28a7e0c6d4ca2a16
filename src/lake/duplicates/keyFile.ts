import { TerminalError } from "../../types/mod.ts";

const MAGIC = "WEIRKEY1";
const HEADER_BYTES = 16;
const GROUP_BYTES = 24;
const KEY_BYTES = 8;

/** The keys of one project and UTC day, in ascending order. */
export interface KeyGroup {
  teamId: number;
  day: number;
  keys: BigUint64Array;
}

/** Keys of a file: [first, end). */
export interface KeyRange {
  first: number;
  end: number;
}

/**
 * Duplicate keys of a segment, as stored in `<id>.keys` (little-endian):
 * magic, u32 number of groups, u32 0; a directory of (u64 team, i32 day, u32 count, u32 first key, u32 0)
 * in order of (team, day); then the u64 keys, ascending within a group.
 */
export class KeyFile {
  private readonly view: DataView;
  readonly groupCount: number;
  /** Low and high halves of the keys, alternating. */
  readonly halves: Uint32Array;

  readonly bytes: Uint8Array;

  constructor(source: Uint8Array) {
    const bytes = source.byteOffset % KEY_BYTES === 0 ? source : source.slice();
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const magic = bytes.length < HEADER_BYTES ? "" : Buffer.from(bytes.subarray(0, 8)).toString("latin1");
    if (magic !== MAGIC) throw new TerminalError("corrupt_keys", "not a file of duplicate keys");
    this.groupCount = this.view.getUint32(8, true);
    const start = HEADER_BYTES + this.groupCount * GROUP_BYTES;
    if (start > bytes.length) throw new TerminalError("corrupt_keys", "the directory of keys is cut short");
    this.halves = new Uint32Array(bytes.buffer, bytes.byteOffset + start, (bytes.length - start) / 4);
  }

  static of(groups: KeyGroup[]): KeyFile {
    const sorted = groups.toSorted((a, b) => a.teamId - b.teamId || a.day - b.day);
    const total = sorted.reduce((sum, group) => sum + group.keys.length, 0);
    const start = HEADER_BYTES + sorted.length * GROUP_BYTES;
    const bytes = new Uint8Array(start + total * KEY_BYTES);
    const view = new DataView(bytes.buffer);
    bytes.set(Buffer.from(MAGIC, "latin1"));
    view.setUint32(8, sorted.length, true);
    const keys = new BigUint64Array(bytes.buffer, start, total);
    let first = 0;
    sorted.forEach((group, i) => {
      const at = HEADER_BYTES + i * GROUP_BYTES;
      view.setBigUint64(at, BigInt(group.teamId), true);
      view.setInt32(at + 8, group.day, true);
      view.setUint32(at + 12, group.keys.length, true);
      view.setUint32(at + 16, first, true);
      keys.set(group.keys, first);
      first += group.keys.length;
    });
    return new KeyFile(bytes);
  }

  get keyCount(): number {
    return this.halves.length / 2;
  }

  /** The range of the keys of a project and day, or null. */
  range(teamId: number, day: number): KeyRange | null {
    let low = 0;
    let high = this.groupCount - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = this.teamAt(middle) - teamId || this.dayAt(middle) - day;
      if (order === 0) return this.rangeAt(middle);
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return null;
  }

  /** Whether a key is within a range. Keys are hashes, hence even: guess the place, then narrow down. */
  has(range: KeyRange, low: number, high: number): boolean {
    const { halves } = this;
    let from = range.first;
    let to = range.end - 1;
    const guess = from + Math.floor((high / 2 ** 32) * (to - from + 1));
    for (let at = guess, step = 8; from <= to; ) {
      const order = halves[2 * at + 1]! - high || halves[2 * at]! - low;
      if (order === 0) return true;
      if (order < 0) from = at + 1;
      else to = at - 1;
      const bold = order < 0 ? at + step : at - step;
      step *= 4;
      at = bold > from && bold < to ? bold : (from + to) >> 1;
    }
    return false;
  }

  /** All groups, in order of (team, day). The keys are views, not copies. */
  *groups(): Generator<KeyGroup> {
    const { buffer, byteOffset } = this.halves;
    for (let i = 0; i < this.groupCount; i++) {
      const { first, end } = this.rangeAt(i);
      const keys = new BigUint64Array(buffer, byteOffset + first * KEY_BYTES, end - first);
      yield { teamId: this.teamAt(i), day: this.dayAt(i), keys };
    }
  }

  private teamAt(group: number): number {
    const at = HEADER_BYTES + group * GROUP_BYTES;
    return this.view.getUint32(at, true) + this.view.getUint32(at + 4, true) * 2 ** 32;
  }

  private dayAt(group: number): number {
    return this.view.getInt32(HEADER_BYTES + group * GROUP_BYTES + 8, true);
  }

  private rangeAt(group: number): KeyRange {
    const at = HEADER_BYTES + group * GROUP_BYTES;
    const first = this.view.getUint32(at + 16, true);
    return { first, end: first + this.view.getUint32(at + 12, true) };
  }
}

/** Collects keys by project and day. */
export class KeyCollector {
  private readonly byTeam = new Map<number, Map<number, bigint[]>>();

  add(teamId: number, day: number, key: bigint): void {
    const days = this.byTeam.get(teamId) ?? new Map<number, bigint[]>();
    this.byTeam.set(teamId, days);
    const keys = days.get(day);
    if (keys === undefined) days.set(day, [key]);
    else keys.push(key);
  }

  finish(): KeyFile {
    const groups: KeyGroup[] = [];
    for (const [teamId, days] of this.byTeam) {
      for (const [day, keys] of days) groups.push({ teamId, day, keys: BigUint64Array.from(keys).sort() });
    }
    return KeyFile.of(groups);
  }
}

/**
 * The 64-bit key of an event for the duplicate check: xxHash64 (a published algorithm, seed 0) of
 * `<team>:<day>:<length of event>:<event><distinct_id><uuid>`. It is stored in files: never change it.
 */
export function duplicateKey(teamId: number, day: number, event: string, distinctId: string, uuid: string): bigint {
  return Bun.hash.xxHash64(`${teamId}:${day}:${event.length}:${event}${distinctId}${uuid}`);
}

const scratch64 = new BigUint64Array(1);
const scratch32 = new Uint32Array(scratch64.buffer);

/** Splits a key into its halves; 32-bit integers are far cheaper to compare than bigints. */
export function splitKey(key: bigint): { low: number; high: number } {
  scratch64[0] = key;
  return { low: scratch32[0]!, high: scratch32[1]! };
}
