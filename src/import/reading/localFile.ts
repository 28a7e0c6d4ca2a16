import { open, stat } from "node:fs/promises";
import type { Input } from "./input.ts";

const PIECE_BYTES = 256 << 10;

/** A file of this machine. */
export async function localFile(path: string, name = path): Promise<Input> {
  const { size, mtimeMs } = await stat(path);
  return { name, path, sizeBytes: size, version: `${size} ${mtimeMs}`, open: (signal) => piecesOf(path, signal) };
}

async function* piecesOf(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await open(path, "r");
  try {
    for (;;) {
      signal.throwIfAborted();
      const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
