import { type FileHandle, open } from "node:fs/promises";

/** Fields of a line are separated by the unit separator, which JSON text cannot contain. */
const FIELD = "\x1f";
/** A field that is NULL. */
export const NULL = "\x1e";
const FIELD_CODE = FIELD.charCodeAt(0);
const LINE_BREAK_CODE = 0x0a;
const CHUNK_BYTES = 4 << 20;
const SHORT_UNITS = 80;
/** UTF-8 bytes that one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;
/** DuckDB's own default for the longest line. */
const MIN_LINE_LIMIT_BYTES = 2 << 20;

/** Text that a raw field can hold as it is, and that does not look like a JSON string. */
const PLAIN = /^[^"\p{Cc}\p{Cs}][^\p{Cc}\p{Cs}]*$/u;

/** A text as a field: as it is, or as a JSON string where a line cannot hold it. `decoded` reads it. */
export const encoded = (text: string): string => (PLAIN.test(text) ? text : JSON.stringify(text));

/** SQL text that reads a field made by `encoded`. */
export const decoded = (column: string): string =>
  `case when starts_with(${column}, '"') then (${column}::json)->>'$' else ${column} end`;

/** A file of lines for DuckDB's `read_csv`, which are put together of texts and of bytes. No part may hold a line feed. */
export class RawFile {
  private buffer = Buffer.allocUnsafe(CHUNK_BYTES + CHUNK_BYTES / 8);
  private used = 0;
  private lineStart = 0;
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

  /** A text that is not the line's last part: with a separator behind it. */
  field(text: string | number): void {
    this.text(typeof text === "number" ? String(text) : text);
    this.reserve(1);
    this.buffer[this.used++] = FIELD_CODE;
  }

  text(text: string): void {
    const { length } = text;
    this.reserve(length * MAX_BYTES_PER_UNIT);
    const { buffer } = this;
    let at = this.used;
    // Unit by unit while it is short and plain: a call of the buffer's own `write` costs more than that.
    if (length <= SHORT_UNITS) {
      let i = 0;
      for (; i < length; i++) {
        const unit = text.charCodeAt(i);
        if (unit > 0x7f) break;
        buffer[at++] = unit;
      }
      if (i === length) {
        this.used = at;
        return;
      }
    }
    this.used += buffer.write(text, this.used);
  }

  /** The bytes from `start` to `end`. */
  bytes(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    this.used += source.copy(this.buffer, this.used, start, end);
  }

  /** True when it is time to `flush`. */
  endLine(): boolean {
    this.reserve(1);
    this.buffer[this.used++] = LINE_BREAK_CODE;
    this.longestLineBytes = Math.max(this.longestLineBytes, this.used - this.lineStart);
    this.lineStart = this.used;
    return this.used >= CHUNK_BYTES;
  }

  /** Writes the lines that were added; between lines. */
  async flush(): Promise<void> {
    for (let at = 0; at < this.used; ) {
      at += (await this.handle.write(this.buffer, at, this.used - at)).bytesWritten;
    }
    this.writtenBytes += this.used;
    this.used = 0;
    this.lineStart = 0;
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
    const lineLimitBytes = Math.max(MIN_LINE_LIMIT_BYTES, this.longestLineBytes);
    return (
      `read_csv('${this.path.replaceAll("'", "''")}', delim = '${FIELD}', quote = '', escape = '', comment = '', ` +
      `header = false, auto_detect = false, new_line = '\\n', nullstr = '${NULL}', ` +
      `max_line_size = ${lineLimitBytes}, columns = {${types.join(", ")}})`
    );
  }
}
