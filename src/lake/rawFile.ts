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

/**
 * A file of ␟-separated lines for DuckDB's `read_csv`. Text fields are JSON strings (`JSON.stringify`),
 * so that no separator can stand in them.
 */
export class RawFile {
  private buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  private used = 0;
  private piece = "";
  private longestLineUnits = 0;
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

  /** Adds a line, which has no line feed in it; true when it is time to `flush`. */
  add(line: string): boolean {
    // Joined first: encoding one long text costs a third of encoding many short ones.
    this.piece += `${line}\n`;
    if (line.length > this.longestLineUnits) this.longestLineUnits = line.length;
    return this.piece.length >= PIECE_UNITS;
  }

  /** Takes what was added; writes when it is much. */
  async flush(): Promise<void> {
    const needBytes = this.piece.length * MAX_BYTES_PER_UNIT;
    if (needBytes > this.buffer.length - this.used) await this.writeOut(needBytes);
    const sizeBytes = this.buffer.write(this.piece, this.used);
    this.used += sizeBytes;
    this.addedBytes += sizeBytes;
    this.piece = "";
  }

  /** Writes what is waiting and makes room for so much. */
  private async writeOut(needBytes: number): Promise<void> {
    for (let at = 0; at < this.used; ) {
      at += (await this.handle.write(this.buffer, at, this.used - at)).bytesWritten;
    }
    this.used = 0;
    if (needBytes > this.buffer.length) this.buffer = Buffer.allocUnsafe(needBytes);
  }

  /** Writes all that was added. */
  async finish(): Promise<void> {
    await this.flush();
    await this.writeOut(0);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /** The table function that reads the file: strict types, nothing quoted, nothing guessed. */
  reader(columns: Record<string, string>): string {
    const types = Object.entries(columns).map(([name, type]) => `${name}: '${type}'`);
    const lineLimitBytes = Math.max(MIN_LINE_LIMIT_BYTES, this.longestLineUnits * MAX_BYTES_PER_UNIT + 1);
    return (
      `read_csv('${this.path.replaceAll("'", "''")}', delim = '${FIELD}', quote = '', escape = '', comment = '', ` +
      `header = false, auto_detect = false, new_line = '\\n', nullstr = '${NULL}', ` +
      `max_line_size = ${lineLimitBytes}, columns = {${types.join(", ")}})`
    );
  }
}
