import { open, rename, rm } from "node:fs/promises";

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

/**
 * A list as JSON text in a file, for lists too long for memory. Its lines are whole elements, about 256 KB each, so that
 * it can be read in pieces; each begins with the bracket or comma before it.
 */
export class JsonFile {
  constructor(
    readonly path: string,
    readonly sizeBytes: number,
  ) {}

  /** Writes a list of which each piece is the text of some elements, with commas between them; no file stays of a failure. */
  static async write(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<JsonFile> {
    const file = await open(path, "w");
    let sizeBytes = 0;
    const put = async (text: string) => {
      sizeBytes += (await file.write(text)).bytesWritten;
    };
    try {
      let lead = "[";
      for await (const piece of pieces) {
        await put(`${lead}${piece}\n`);
        lead = ",";
        await othersTurn();
      }
      await put(lead === "[" ? "[]" : "]");
      return new JsonFile(path, sizeBytes);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** The text as it is, in order. Between two chunks nothing is open: a reader may be slow, or never come back. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.sizeBytes; ) {
      const chunk = await readAt(this.path, at);
      if (chunk.length === 0) return;
      at += chunk.length;
      yield chunk;
      await othersTurn();
    }
  }

  /** The elements, a line of them at a time. */
  async *pieces(): AsyncGenerator<unknown[]> {
    for await (const line of this.lines()) {
      const elements = line.slice(1);
      if (elements !== "" && line !== "[]") yield JSON.parse(`[${elements}]`) as unknown[];
    }
  }

  /** All elements, and the file is removed. */
  async take(): Promise<unknown[]> {
    try {
      const all: unknown[] = [];
      for await (const piece of this.pieces()) for (const element of piece) all.push(element);
      return all;
    } finally {
      await this.remove();
    }
  }

  /** The list with every piece changed, in a file beside, and this one is removed. */
  async changed(change: (piece: unknown[]) => unknown[]): Promise<JsonFile> {
    const { path } = this;
    const pieces = this.pieces();
    const texts = async function* () {
      for await (const piece of pieces) yield JSON.stringify(change(piece)).slice(1, -1);
    };
    try {
      return await JsonFile.write(`${path}.changed`, texts());
    } finally {
      await this.remove();
    }
  }

  async movedTo(path: string): Promise<JsonFile> {
    await rename(this.path, path);
    return new JsonFile(path, this.sizeBytes);
  }

  remove(): Promise<void> {
    return rm(this.path, { force: true });
  }

  private async *lines(): AsyncGenerator<string> {
    let begun: Uint8Array[] = [];
    for await (const chunk of this.chunks()) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
        begun = [];
        from = end + 1;
      }
      begun.push(chunk.subarray(from));
    }
    yield Buffer.concat(begun).toString();
  }
}

/** Waiting for a fast disk does not let the loop go round. */
const othersTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function readAt(path: string, position: number): Promise<Uint8Array> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = await open(path, "r");
  try {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    return chunk.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
