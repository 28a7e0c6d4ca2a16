import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { describeError } from "../../types/mod.ts";
import { FileUnreadable } from "./input.ts";

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
const OUTPUT_BYTES = 256 << 10;

/** Bytes as they were before gzip or zstd, which their first bytes tell; others as they are. Throws FileUnreadable. */
export async function* unpacked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const rest = pieces[Symbol.asyncIterator]();
  try {
    const head = await headOf(rest);
    if (head === null) return;
    if (startsWith(head, GZIP)) yield* gunzipped(chained(head, rest));
    else if (startsWith(head, ZSTD)) yield* unzstd(chained(head, rest));
    else yield* chained(head, rest);
  } finally {
    await rest.return?.();
  }
}

const startsWith = (bytes: Uint8Array, magic: readonly number[]) => magic.every((byte, i) => bytes[i] === byte);

/** At least as many bytes as tell the packing, where there are so many; null for an empty file. */
async function headOf(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  let head: Uint8Array | null = null;
  while (head === null || head.length < ZSTD.length) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    head = head === null ? value : Buffer.concat([head, value]);
  }
  return head;
}

async function* chained(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

/** Keeps errors of the source apart from those of the unpacking. */
class Source {
  error: unknown = null;

  constructor(private readonly pieces: AsyncIterable<Uint8Array>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.pieces;
    } catch (error) {
      this.error = error;
      throw error;
    }
  }

  /** What a failed unpacking means. */
  failure(error: unknown, packing: string): unknown {
    return this.error ?? new FileUnreadable(`The ${packing} is damaged or ends early: ${describeError(error)}`);
  }
}

async function* gunzipped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new Source(pieces);
  const input = Readable.from(source, { objectMode: false });
  const gunzip = createGunzip({ chunkSize: OUTPUT_BYTES });
  input.on("error", (error) => gunzip.destroy(error));
  try {
    for await (const piece of input.pipe(gunzip)) yield piece as Uint8Array;
  } catch (error) {
    throw source.failure(error, "gzip");
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}

async function* unzstd(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new Source(pieces);
  // That of node:zlib ends without an error where the input does.
  const unpacking = new DecompressionStream("zstd" as CompressionFormat);
  try {
    const stream = streamOf(source).pipeThrough(unpacking);
    for await (const piece of stream) yield piece;
  } catch (error) {
    throw source.failure(error, "zstd");
  }
}

function streamOf(source: Source): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = source[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
