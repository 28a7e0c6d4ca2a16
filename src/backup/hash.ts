import { open } from "node:fs/promises";

const CHUNK_BYTES = 1 << 20;

/** Size and checksum of a file of this machine, as a manifest has them. */
export async function hashFile(path: string): Promise<{ sizeBytes: number; checksum: string }> {
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
      hash = Bun.hash.xxHash64(chunk.subarray(0, filled), hash);
    }
  } finally {
    await handle.close();
  }
  return { sizeBytes, checksum: hash.toString(16).padStart(16, "0") };
}
