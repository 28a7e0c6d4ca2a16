import { type FileHandle, open } from "node:fs/promises";

/** Fields of a line are separated by the unit separator: it cannot stand in JSON text. */
export const FIELD = "\x1f";
/** A field that is NULL. */
export const NULL = "\x1e";
const LINE_FEED = 10;
const CHUNK_BYTES = 4 << 20;
/** UTF-8 bytes that one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;
/** DuckDB's own default for the longest line. */
const MIN_LINE_LIMIT_BYTES = 2 << 20;

/**
 * A file of ␟-separated lines for DuckDB's `read_csv`. Text fields are JSON strings (`JSON.stringify`),
 * so that no separator can stand in them.
 */
export class RawFile {
  private buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  private used = 0;
  private longestLineBytes = 0;
  private addedBytes = 0;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  static async create(path: string): Promise<RawFile> {
    return new RawFile(path, await open(path, "w"));
  }

  /** Of all lines added. */
  get sizeBytes(): number {
    return this.addedBytes;
  }

  /** Whether `add` needs no `flush` first. */
  hasRoom(head: string, tail: string): boolean {
    return (head.length + tail.length) * MAX_BYTES_PER_UNIT + 1 <= this.buffer.length - this.used;
  }

  /** Adds a line of two pieces; joining them first would cost a copy of every large text. */
  add(head: string, tail: string): void {
    const start = this.used;
    this.used += this.buffer.write(head, this.used);
    this.used += this.buffer.write(tail, this.used);
    this.buffer[this.used++] = LINE_FEED;
    this.addedBytes += this.used - start;
    this.longestLineBytes = Math.max(this.longestLineBytes, this.used - start);
  }

  /** Adds lines that end in a line feed each, in one piece; `longest` is the length of the longest. Needs room as `add`. */
  addLines(text: string, longest: number): void {
    const sizeBytes = this.buffer.write(text, this.used);
    this.used += sizeBytes;
    this.addedBytes += sizeBytes;
    this.longestLineBytes = Math.max(this.longestLineBytes, longest * MAX_BYTES_PER_UNIT);
  }

  /** Writes what is waiting and makes room for this line, however long. */
  async flush(head = "", tail = ""): Promise<void> {
    for (let at = 0; at < this.used; ) {
      at += (await this.handle.write(this.buffer, at, this.used - at)).bytesWritten;
    }
    this.used = 0;
    const needBytes = (head.length + tail.length) * MAX_BYTES_PER_UNIT + 1;
    if (needBytes > this.buffer.length) this.buffer = Buffer.allocUnsafe(needBytes);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /** The table function that reads the file: strict types, nothing quoted, nothing guessed. */
  reader(columns: Record<string, string>): string {
    const types = Object.entries(columns).map(([name, type]) => `${name}: '${type}'`);
    const lineLimitBytes = Math.max(MIN_LINE_LIMIT_BYTES, this.longestLineBytes + 1);
    return (
      `read_csv('${this.path.replaceAll("'", "''")}', delim = '${FIELD}', quote = '', escape = '', comment = '', ` +
      `header = false, auto_detect = false, new_line = '\\n', nullstr = '${NULL}', ` +
      `max_line_size = ${lineLimitBytes}, columns = {${types.join(", ")}})`
    );
  }
}
