import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Session, sqlString } from "../engine/mod.ts";
import type { FileForm } from "./form.ts";
import type { RowsWriter, Statement, WrittenPart } from "./parts.ts";

/** Rows that are in memory before they are written. */
const ROW_GROUP_ROWS = 20_480;
const ROW_GROUP_BYTES = 16 * 1024 * 1024;
/** A file is looked at after each row group: so much of its size is left for one. */
const SPARE = 1 / 8;
const SPARE_MIN_BYTES = 256 * 1024;

/** Writes Parquet files by the engine itself. */
export class ParquetParts implements RowsWriter {
  private statements = 0;

  constructor(
    private readonly folder: string,
    private readonly form: FileForm,
  ) {}

  async *write(session: Session, { text, params }: Statement): AsyncGenerator<WrittenPart> {
    const out = join(this.folder, `rows-${this.statements++}`);
    await mkdir(out, { recursive: true });
    const { maxPartBytes } = this.form;
    const [target, size] =
      maxPartBytes === null
        ? [join(out, "data.parquet"), ""]
        : [out, `, file_size_bytes ${sizeLimit(maxPartBytes)}, overwrite_or_ignore true`];
    const rows = await session.runBound(`copy (${text}) to ${sqlString(target)} (${this.options}${size})`, params);
    for (const part of writtenFiles(rows)) {
      if (part.records === 0) await rm(part.path, { force: true });
      else yield* this.fitting(session, part);
    }
  }

  async *finish(): AsyncGenerator<WrittenPart> {}

  async close(): Promise<void> {}

  private get options(): string {
    const { compression } = this.form;
    return `format parquet, compression ${compression ?? "uncompressed"}, row_group_size ${ROW_GROUP_ROWS},
      row_group_size_bytes ${ROW_GROUP_BYTES}, return_stats true`;
  }

  /** A file that has become too large all the same, in halves. */
  private async *fitting(session: Session, part: WrittenPart): AsyncGenerator<WrittenPart> {
    const { maxPartBytes } = this.form;
    if (maxPartBytes === null || part.bytes <= maxPartBytes || part.records < 2) {
      yield part;
      return;
    }
    const whole = `${part.path}.whole`;
    await rename(part.path, whole);
    const first = Math.ceil(part.records / 2);
    for (const [i, window] of [`limit ${first}`, `offset ${first}`].entries()) {
      const target = sqlString(`${part.path}.${i}`);
      const rows = await session.run(
        `copy (select * from read_parquet(${sqlString(whole)}) ${window}) to ${target} (${this.options})`,
      );
      for (const half of writtenFiles(rows)) yield* this.fitting(session, half);
    }
    await rm(whole, { force: true });
  }
}

function sizeLimit(maxPartBytes: number): number {
  return Math.max(Math.ceil(maxPartBytes / 2), (maxPartBytes - Math.max(SPARE_MIN_BYTES, maxPartBytes * SPARE)) | 0);
}

/** What COPY tells with `return_stats`. */
function writtenFiles(rows: readonly (readonly unknown[])[]): WrittenPart[] {
  return rows
    .map(([path, records, bytes]) => ({ path: String(path), records: Number(records), bytes: Number(bytes) }))
    .sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
}
