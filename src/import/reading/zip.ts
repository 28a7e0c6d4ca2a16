import type { Readable } from "node:stream";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { describeError } from "../../types/mod.ts";
import { FileUnreadable, type Input } from "./input.ts";

/** The files in a zip of this machine, sorted by name; one that cannot be read where the archive is damaged. */
export async function zipInputs(path: string, name: string, version: string): Promise<Input[]> {
  try {
    const entries = await entriesOf(path);
    return entries
      .filter(({ fileName }) => !fileName.endsWith("/") && !fileName.startsWith("__MACOSX/"))
      .map((entry) => ({
        name: `${name}/${entry.fileName}`,
        path: null,
        sizeBytes: entry.compressedSize,
        version: `${version} ${entry.crc32} ${entry.uncompressedSize}`,
        open: (signal: AbortSignal) => bytesOf(path, entry, signal),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const problem = new FileUnreadable(`The zip cannot be read: ${describeError(error)}`);
    const open = () => {
      throw problem;
    };
    return [{ name, path: null, sizeBytes: 0, version, open }];
  }
}

function opened(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

async function entriesOf(path: string): Promise<Entry[]> {
  const zip = await opened(path);
  try {
    return await new Promise((resolve, reject) => {
      const entries: Entry[] = [];
      zip.on("error", reject);
      zip.on("end", () => resolve(entries));
      zip.on("entry", (entry: Entry) => {
        entries.push(entry);
        zip.readEntry();
      });
      zip.readEntry();
    });
  } finally {
    zip.close();
  }
}

async function* bytesOf(path: string, entry: Entry, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const zip = await opened(path);
  try {
    const stream = await new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, (error, found) => (error ? reject(error) : resolve(found)));
    });
    for await (const piece of stream) {
      signal.throwIfAborted();
      yield piece as Uint8Array;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new FileUnreadable(`The entry of the zip cannot be read: ${describeError(error)}`);
  } finally {
    zip.close();
  }
}
