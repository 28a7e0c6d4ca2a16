import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from "node:zlib";
import { type Session, sqlString } from "../engine/mod.ts";
import { type FileForm, fileEnd } from "./form.ts";
import type { RowsWriter, Statement, WrittenPart } from "./parts.ts";

/** Plain lines that the engine writes before they are packed; a bound for the disk, since a file is removed once it is packed. */
const PLAIN_FILE_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
/** What a packer may still hold back when a file is ended. */
const HELD_BACK_BYTES = 64 * 1024;
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 4;

/** Writes lines of JSON: the engine makes the text, which is then cut at line ends and packed. */
export class LineParts implements RowsWriter {
  private statements = 0;
  private parts = 0;
  private part: LinePart | null = null;

  constructor(
    private readonly folder: string,
    private readonly form: FileForm,
  ) {}

  async *write(session: Session, { text, params }: Statement): AsyncGenerator<WrittenPart> {
    const out = join(this.folder, `lines-${this.statements++}`);
    await mkdir(out, { recursive: true });
    // A field separator that JSON cannot hold, and nothing quoted: a line is the text as it is.
    await session.runBound(
      `copy (${text}) to ${sqlString(out)} (format csv, header false, delimiter '\x1f', quote '', escape '',
        nullstr '\x1e', file_size_bytes ${PLAIN_FILE_BYTES}, overwrite_or_ignore true)`,
      params,
    );
    const names = (await readdir(out)).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    for (const name of names) {
      yield* this.pack(join(out, name));
      await rm(join(out, name));
    }
    await rm(out, { recursive: true });
  }

  async *finish(): AsyncGenerator<WrittenPart> {
    if (this.part !== null) yield await this.endPart();
  }

  async close(): Promise<void> {
    await this.part?.abandon();
    this.part = null;
  }

  private async *pack(path: string): AsyncGenerator<WrittenPart> {
    const limit = this.form.maxPartBytes ?? Number.POSITIVE_INFINITY;
    for await (const lines of wholeLines(path)) {
      if (this.part !== null && this.part.bytesWith(lines) > limit) yield await this.endPart();
      this.part ??= new LinePart(join(this.folder, `part-${this.parts++}${fileEnd(this.form)}`), this.form);
      await this.part.add(lines);
    }
  }

  private async endPart(): Promise<WrittenPart> {
    const ended = await this.part!.end();
    this.part = null;
    return ended;
  }
}

/** The bytes of a file in pieces that end with a line. */
async function* wholeLines(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    let begun: Buffer[] = [];
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      const read = buffer.subarray(0, bytesRead);
      const end = read.lastIndexOf(NEWLINE) + 1;
      if (end === 0) begun.push(read);
      else {
        yield Buffer.concat([...begun, read.subarray(0, end)]);
        begun = end === read.length ? [] : [read.subarray(end)];
      }
    }
  } finally {
    await file.close();
  }
}

/** One file of lines that is being written. */
class LinePart {
  private readonly packer: Gzip | BrotliCompress | null;
  private readonly file: WriteStream;
  private readonly ended: Promise<void>;
  private packedBytes = 0;
  /** Of the lines that the packer has, before they are packed. */
  private plainBytes = 0;
  private records = 0;

  constructor(
    private readonly path: string,
    { compression }: FileForm,
  ) {
    this.file = createWriteStream(path);
    this.ended = finished(this.file);
    // Awaited at the end.
    this.ended.catch(() => {});
    this.packer = packerOf(compression);
    if (this.packer === null) return;
    this.packer.on("data", (chunk: Buffer) => {
      this.packedBytes += chunk.length;
    });
    this.packer.on("error", (error) => this.file.destroy(error));
    this.packer.pipe(this.file);
  }

  /** How large the file becomes with more lines, approximately. */
  bytesWith(lines: Buffer): number {
    if (this.packer === null) return this.plainBytes + lines.length;
    const ratio = this.packedBytes === 0 ? 1 : Math.min(1, this.packedBytes / this.plainBytes);
    return this.packedBytes + HELD_BACK_BYTES + lines.length * ratio;
  }

  async add(lines: Buffer): Promise<void> {
    for (let at = lines.indexOf(NEWLINE); at >= 0; at = lines.indexOf(NEWLINE, at + 1)) this.records++;
    this.plainBytes += lines.length;
    const into = this.packer ?? this.file;
    if (!into.write(lines)) await Promise.race([once(into, "drain"), this.ended]);
  }

  async end(): Promise<WrittenPart> {
    (this.packer ?? this.file).end();
    await this.ended;
    return { path: this.path, records: this.records, bytes: this.file.bytesWritten };
  }

  async abandon(): Promise<void> {
    this.packer?.destroy();
    this.file.destroy();
    await this.ended.catch(() => {});
  }
}

function packerOf(compression: FileForm["compression"]): Gzip | BrotliCompress | null {
  if (compression === null) return null;
  if (compression === "gzip") return createGzip({ level: GZIP_LEVEL });
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}
