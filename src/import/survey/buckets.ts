import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

const BUFFER_BYTES = 64 << 10;

/** Files into which records are sorted by a hash, so that each fits into memory later. */
export class Buckets {
  private readonly files: number[];
  private readonly buffers: Buffer[];
  private readonly used: number[];

  /** Makes the folder anew. */
  constructor(
    private readonly folder: string,
    readonly count: number,
  ) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    this.files = Array.from({ length: count }, (_, i) => openSync(this.path(i), "w"));
    this.buffers = this.files.map(() => Buffer.allocUnsafeSlow(BUFFER_BYTES));
    this.used = this.files.map(() => 0);
  }

  private path(bucket: number): string {
    return join(this.folder, String(bucket));
  }

  /** Where to write a record of so many bytes: `write` gets the buffer and the place in it. */
  add(bucket: number, bytes: number, write: (buffer: Buffer, at: number) => void): void {
    if (this.used[bucket]! + bytes > BUFFER_BYTES) this.flush(bucket);
    write(this.buffers[bucket]!, this.used[bucket]!);
    this.used[bucket]! += bytes;
  }

  addText(bucket: number, text: string): void {
    const bytes = Buffer.byteLength(text);
    if (bytes <= BUFFER_BYTES) {
      this.add(bucket, bytes, (buffer, at) => buffer.write(text, at));
      return;
    }
    this.flush(bucket);
    writeSync(this.files[bucket]!, text);
  }

  private flush(bucket: number): void {
    const buffer = this.buffers[bucket]!;
    for (let at = 0; at < this.used[bucket]!; ) {
      at += writeSync(this.files[bucket]!, buffer, at, this.used[bucket]! - at);
    }
    this.used[bucket] = 0;
  }

  /** Ends the writing. */
  finish(): void {
    for (let i = 0; i < this.count; i++) this.flush(i);
    for (const file of this.files.splice(0)) closeSync(file);
  }

  /** All of a bucket, in the order it was added. */
  read(bucket: number): Buffer {
    return readFileSync(this.path(bucket));
  }

  sizeBytes(bucket: number): number {
    return statSync(this.path(bucket)).size;
  }

  remove(): void {
    for (const file of this.files.splice(0)) closeSync(file);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A bucket for a text. */
export function bucketOf(text: string, count: number): number {
  return Number(Bun.hash.wyhash(text) % BigInt(count));
}
