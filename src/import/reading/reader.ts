import type { Format } from "../types.ts";
import { withoutMark } from "./blocks.ts";
import { csvRows } from "./csv.ts";
import type { Input } from "./input.ts";
import { lineRows } from "./lines.ts";
import { listRows } from "./list.ts";
import { parquetRows } from "./parquet.ts";
import type { Row } from "./row.ts";
import { unpacked } from "./unpack.ts";

export interface ReadOptions {
  format: Format;
  /** A folder of its own, for what needs a file. */
  scratch: string;
  signal: AbortSignal;
}

const OPEN_LIST = 0x5b;
/** As JSON has them. */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** A list begins before so many of them. */
const BLANKS_MAX = 1 << 20;
/** Batch exports name the packing behind it, which is inside of the file. */
const PARQUET = /\.(parquet|pqt?)(\.(zst|gz|snappy|sz|lz4|br))?$/i;

/** Reads one file as rows, in their order. */
export class Reader {
  /** Bytes of the file as it lies there that were read so far. */
  readBytes = 0;

  constructor(
    private readonly input: Input,
    private readonly options: ReadOptions,
  ) {}

  /** Throws FileUnreadable where the rest is damaged, and errors of the machine. */
  async *rows(): AsyncGenerator<Row[]> {
    const { input, options } = this;
    if (options.format === "table" && PARQUET.test(input.name)) {
      yield* this.counted(parquetRows(input, options));
      return;
    }
    const pieces = withoutMark(unpacked(this.pieces()));
    yield* options.format === "table" ? csvRows(pieces) : jsonRows(pieces);
  }

  private async *pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.input.open(this.options.signal)) {
      this.readBytes += piece.length;
      yield piece;
    }
  }

  /** Where the reader is in the file is not known; it is all counted at the end. */
  private async *counted(batches: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
    yield* batches;
    this.readBytes = this.input.sizeBytes;
  }
}

/** Lines, or the elements of a list where the text begins with one. */
async function* jsonRows(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Row[]> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let first: number | undefined;
  while (first === undefined && heldBytes < BLANKS_MAX) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    held.push(value);
    heldBytes += value.length;
    first = value.find((byte) => !BLANKS.has(byte));
  }
  const all = joined(held, pieces);
  yield* first === OPEN_LIST ? listRows(all) : lineRows(all);
}

async function* joined(held: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* held;
    held.length = 0;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
