import { createHash } from "node:crypto";
import { basename } from "node:path";
import { describeError, isJsonObject, type JsonObject, UsageError } from "../../types/mod.ts";
import { FileUnreadable, type Input, objectIn, Reader, type Row } from "../reading/mod.ts";
import { BrokenRow } from "../reading/row.ts";
import type { Format, Source, Stage } from "../types.ts";

/** A file that belongs to a stage. */
interface Part {
  stage: Stage<unknown>;
  input: Input;
  format: Format;
}

/** Some rows of one file. */
export interface Rows {
  stage: Stage<unknown>;
  /** The name of the file. */
  file: string;
  rows: readonly Row[];
  /** The number of the first of them among all rows of the import, from 0. */
  first: number;
}

/** All files of an import, in the order in which they are read. */
export class Plan {
  readonly parts: readonly Part[];
  /** As the files lie there; a file of two stages counts twice. */
  readonly sizeBytes: number;
  /** Files that no stage reads. */
  readonly passedOver: readonly string[];

  /** Throws UsageError where there is nothing to read. */
  constructor(source: Source<unknown>, options: unknown, inputs: readonly Input[]) {
    this.parts = source.stages.flatMap((stage) =>
      inputs.flatMap((input) => {
        const format = isRejects(input.name) ? "lines" : stage.formatOf(input.name, options);
        return format === null ? [] : [{ stage, input, format }];
      }),
    );
    const read = new Set(this.parts.map(({ input }) => input));
    this.passedOver = inputs.filter((input) => !read.has(input)).map(({ name }) => name);
    this.sizeBytes = this.parts.reduce((sum, { input }) => sum + input.sizeBytes, 0);
    if (this.parts.length > 0) return;
    const seen = this.passedOver.slice(0, 3).join(", ");
    throw new UsageError(`There is no file that ${source.name} can read${seen === "" ? "." : ` (there is ${seen}).`}`);
  }

  /** Another text when a file was changed, added or taken away. */
  get fingerprint(): string {
    const hash = createHash("sha256");
    for (const { stage, input } of this.parts) hash.update(JSON.stringify([stage.name, input.name, input.version]));
    return hash.digest("hex");
  }
}

/** Reads all rows of a plan. */
export class Walk {
  /** Bytes of the files that were read. */
  readBytes = 0;

  constructor(
    private readonly plan: Plan,
    private readonly o: { scratch: string; signal: AbortSignal },
  ) {}

  /** From a row on. A file that is damaged ends with a broken row. Throws errors of the machine. */
  async *rows(from = 0): AsyncGenerator<Rows> {
    let next = 0;
    let before = 0;
    for (const { stage, input, format } of this.plan.parts) {
      const reader = new Reader(input, { ...this.o, format });
      const isAgain = isRejects(input.name);
      for await (const batch of this.batchesOf(reader)) {
        this.o.signal.throwIfAborted();
        this.readBytes = before + reader.readBytes;
        const rows = isAgain ? rejectedRows(batch, stage.name) : batch;
        const first = next;
        next += rows.length;
        if (next <= from) continue;
        const passed = Math.max(0, from - first);
        yield { stage, file: input.name, rows: passed === 0 ? rows : rows.slice(passed), first: first + passed };
      }
      before += input.sizeBytes;
      this.readBytes = before;
    }
  }

  private async *batchesOf(reader: Reader): AsyncGenerator<Row[]> {
    let line = 0;
    try {
      for await (const batch of reader.rows()) {
        line = batch.at(-1)?.line ?? line;
        yield batch;
      }
    } catch (error) {
      if (!(error instanceof FileUnreadable)) throw error;
      yield [new BrokenRow(line + 1, "unreadable", describeError(error), "")];
    }
  }
}

/** Rejects of an earlier import, perhaps mended. */
const isRejects = (name: string): boolean => /^rejects.*\.jsonl$/.test(basename(name));

/** The rows of a stage in a file of rejects. A line that is none is a row as any. */
function rejectedRows(batch: readonly Row[], stage: string): Row[] {
  return batch.filter((row) => ownerOf(row) === null || ownerOf(row) === stage).map((row) => new MendedRow(row));
}

function rejectIn(row: Row): { stage: string; raw: string | JsonObject } | null {
  try {
    const { stage, reason, raw } = row.value();
    if (typeof stage !== "string" || typeof reason !== "string") return null;
    return typeof raw === "string" || isJsonObject(raw) ? { stage, raw } : null;
  } catch {
    return null;
  }
}

const ownerOf = (row: Row): string | null => rejectIn(row)?.stage ?? null;

/** A reject that is read again: what it holds in `raw`, as text or as an object. */
class MendedRow implements Row {
  constructor(private readonly row: Row) {}

  get line(): number {
    return this.row.line;
  }

  value(): JsonObject {
    const reject = rejectIn(this.row);
    if (reject === null) return this.row.value();
    return typeof reject.raw === "string" ? objectIn(reject.raw) : reject.raw;
  }

  raw(): string {
    const reject = rejectIn(this.row);
    return typeof reject?.raw === "string" ? reject.raw : this.row.raw();
  }
}
