import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Buckets } from "./buckets.ts";
import { RowTable } from "./rowTable.ts";
import { writeUuid } from "./uuidBytes.ts";

const BUCKETS = 64;
/** uuid, low and high half of the row's number. */
const RECORD_WORDS = 6;
const UUID_WORDS = 4;
const HALF = 2 ** 32;
/** Rows of one file of ordinals. */
const RANGE = 1 << 20;

/** Finds rows of the same uuid. Rows are added in their order. */
export class CopyFinder {
  private readonly buckets: Buckets;

  constructor(private readonly folder: string) {
    rmSync(folder, { recursive: true, force: true });
    this.buckets = new Buckets(join(folder, "rows"), BUCKETS);
  }

  add(uuid: string, row: number): void {
    // The last byte is random in uuids of every version in use.
    const bucket = Number.parseInt(uuid.slice(-2), 16) % BUCKETS;
    this.buckets.add(bucket, RECORD_WORDS * 4, (buffer, at) => {
      writeUuid(uuid, buffer, at);
      buffer.writeUInt32LE(row % HALF, at + 16);
      buffer.writeUInt32LE(Math.floor(row / HALF), at + 20);
    });
  }

  /** Writes the ordinals of copies down; gives how many copies there are, the first of its kind not counted. */
  finish(): number {
    this.buckets.finish();
    const ranges = new Map<number, number[]>();
    let copies = 0;
    mkdirSync(this.folder, { recursive: true });
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const table = new RowTable(this.buckets.read(bucket), RECORD_WORDS, UUID_WORDS);
      const seen = new Map<number, number>();
      for (let i = 0; i < table.length; i++) {
        const first = table.firstOf(i);
        if (first === i) continue;
        const ordinal = (seen.get(first) ?? 0) + 1;
        seen.set(first, ordinal);
        copies++;
        const row = table.word(i, 4) + table.word(i, 5) * HALF;
        const range = Math.floor(row / RANGE);
        const list = ranges.get(range) ?? [];
        ranges.set(range, list);
        list.push(row % RANGE, ordinal);
      }
      for (const [range, list] of ranges)
        writeFileSync(rangePath(this.folder, range), new Uint32Array(list), { flag: "a" });
      ranges.clear();
    }
    this.buckets.remove();
    return copies;
  }
}

const rangePath = (folder: string, range: number): string => join(folder, `ordinals-${range}`);

/** The ordinals that a finder has written down. */
export class Copies {
  private range = -1;
  private ordinals = new Map<number, number>();

  constructor(private readonly folder: string) {}

  /** How many equal rows come before this one. */
  ordinalOf(row: number): number {
    const range = Math.floor(row / RANGE);
    if (range !== this.range) this.load(range);
    return this.ordinals.get(row % RANGE) ?? 0;
  }

  private load(range: number): void {
    this.range = range;
    this.ordinals = new Map();
    const path = rangePath(this.folder, range);
    if (!existsSync(path)) return;
    const bytes = readFileSync(path);
    const numbers = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    for (let i = 0; i < numbers.length; i += 2) this.ordinals.set(numbers[i]!, numbers[i + 1]!);
  }
}
