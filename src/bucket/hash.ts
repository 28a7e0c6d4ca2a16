import { open } from "node:fs/promises";

const CHUNK_BYTES = 1 << 20;

export interface FileHash {
  sizeBytes: number;
  /** xxHash64 chained over whole MiB, in hexadecimal: as the catalog has it of a segment, and a manifest of a file. */
  checksum: string;
}

/** Of a file of this machine. `also` is given the same bytes. */
export async function hashFile(path: string, also?: { update(bytes: Uint8Array): unknown }): Promise<FileHash> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const handle = await open(path, "r");
  let sizeBytes = 0;
  let hash = 0n;
  try {
    for (let filled = CHUNK_BYTES; filled === CHUNK_BYTES; sizeBytes += filled) {
      filled = 0;
      for (let got = 1; got > 0 && filled < CHUNK_BYTES; filled += got) {
        got = (await handle.read(chunk, filled, CHUNK_BYTES - filled)).bytesRead;
      }
      const bytes = chunk.subarray(0, filled);
      hash = Bun.hash.xxHash64(bytes, hash);
      also?.update(bytes);
    }
  } finally {
    await handle.close();
  }
  return { sizeBytes, checksum: hash.toString(16).padStart(16, "0") };
}
