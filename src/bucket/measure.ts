import { open } from "node:fs/promises";

const CHUNK_BYTES = 1 << 20;

/** A file that is read from its beginning to its end; `close` must follow. */
export interface OpenFile {
  read(buffer: Uint8Array, offset: number, length: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

/** Bytes of files together, and their checksum: xxHash64 chained over whole MiB of each, in hexadecimal. */
export interface Measured {
  sizeBytes: number;
  checksum: string;
}

/** Of a file of this machine. `also` is given the same bytes. */
export function measureFile(path: string, also?: { update(bytes: Uint8Array): unknown }): Promise<Measured> {
  return measure([path], (file) => open(file, "r"), also);
}

export async function measure<File>(
  files: readonly File[],
  openFile: (file: File) => Promise<OpenFile>,
  also?: { update(bytes: Uint8Array): unknown },
): Promise<Measured> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let sizeBytes = 0;
  let hash = 0n;
  for (const file of files) {
    const handle = await openFile(file);
    try {
      for (let filled = chunk.length; filled === chunk.length; ) {
        filled = await fill(handle, chunk);
        const bytes = chunk.subarray(0, filled);
        hash = Bun.hash.xxHash64(bytes, hash);
        also?.update(bytes);
        sizeBytes += filled;
      }
    } finally {
      await handle.close();
    }
  }
  return { sizeBytes, checksum: hash.toString(16).padStart(16, "0") };
}

/** Reads until the buffer is full or the file ends; gives how much. */
async function fill(handle: OpenFile, buffer: Buffer): Promise<number> {
  let filled = 0;
  for (let got = 1; got > 0 && filled < buffer.length; filled += got) {
    got = (await handle.read(buffer, filled, buffer.length - filled)).bytesRead;
  }
  return filled;
}
