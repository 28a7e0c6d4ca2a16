import { type FileHandle, open } from "node:fs/promises";

/** Fields of a line are separated by the unit separator: it cannot stand in JSON text. */
export const FIELD = "\x1f";
/** A field that is NULL. */
export const NULL = "\x1e";
const CHUNK_BYTES = 4 << 20;
/** Text is encoded in pieces of about so many UTF-16 units. */
const PIECE_UNITS = 64 * 1024;
/** UTF-8 bytes that one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;
/** DuckDB's own default for the longest line. */
const MIN_LINE_LIMIT_BYTES = 2 << 20;

/** Text that can stand in a raw field as it is, and is not taken for a JSON string. */
const PLAIN = /^[^"\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]*$/u;

/** A text as a field: as it is, or as a JSON string where it could not stand in a line. `decoded` reads it. */
export const encoded = (text: string): string => (PLAIN.test(text) ? text : JSON.stringify(text));

/** SQL text that reads a field made by `encoded`. */
export const decoded = (column: string): string =>
  `case when starts_with(${column}, '"') then (${column}::json)->>'$' else ${column} end`;

/** A file of lines for DuckDB's `read_csv`, which are put together of texts and of bytes. No part may hold a line feed. */
export class RawFile {
  private buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  private used = 0;
  private piece = "";
  /** Of the line that is not ended yet: bytes at most. */
  private lineBytes = 0;
  private longestLineBytes = 0;
  private writtenBytes = 0;

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  static async create(path: string): Promise<RawFile> {
    return new RawFile(path, await open(path, "w"));
  }

  /** Of all lines added. */
  get sizeBytes(): number {
    return this.writtenBytes + this.used;
  }

  text(text: string): void {
    // Joined first: encoding one long text costs a third of encoding many short ones.
    this.piece += text;
    this.lineBytes += text.length * MAX_BYTES_PER_UNIT;
  }

  bytes(bytes: Uint8Array): void {
    this.encode();
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.used);
    this.used += bytes.length;
    this.lineBytes += bytes.length;
  }

  /** True when it is time to `flush`. */
  endLine(): boolean {
    this.piece += "\n";
    if (this.lineBytes > this.longestLineBytes) this.longestLineBytes = this.lineBytes;
    this.lineBytes = 0;
    if (this.piece.length >= PIECE_UNITS) this.encode();
    return this.used >= CHUNK_BYTES - PIECE_UNITS * MAX_BYTES_PER_UNIT;
  }

  /** Writes what was added so far. */
  async flush(): Promise<void> {
    this.encode();
    for (let at = 0; at < this.used; ) {
      at += (await this.handle.write(this.buffer, at, this.used - at)).bytesWritten;
    }
    this.writtenBytes += this.used;
    this.used = 0;
  }

  private encode(): void {
    this.reserve(this.piece.length * MAX_BYTES_PER_UNIT);
    this.used += this.buffer.write(this.piece, this.used);
    this.piece = "";
  }

  private reserve(bytes: number): void {
    if (this.used + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.used + bytes));
    this.buffer.copy(grown, 0, 0, this.used);
    this.buffer = grown;
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
