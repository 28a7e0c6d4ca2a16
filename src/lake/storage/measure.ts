import { open } from "node:fs/promises";
import { draftPath, filesOf, type SegmentShape } from "./segmentFile.ts";
import type { OpenFile, SegmentStore } from "./segmentStore.ts";

const CHUNK_BYTES = 1 << 20;

/** Bytes of files together, and their checksum: xxHash64 chained over whole chunks, in hexadecimal. */
export interface Measured {
  sizeBytes: number;
  checksum: string;
}

/** Of a segment whose files are drafts. */
export function measureDrafts({ workDirectory }: SegmentStore, segment: SegmentShape): Promise<Measured> {
  return measure(filesOf(segment), (file) => open(draftPath(workDirectory, file), "r"));
}

/** Of a segment that was published. Throws SegmentMissing. */
export function measureFiles(store: SegmentStore, segment: SegmentShape): Promise<Measured> {
  return measure(filesOf(segment), (file) => store.open(store.locate(file)));
}

/** Of a file of this machine. */
export function measureFile(path: string): Promise<Measured> {
  return measure([path], (file) => open(file, "r"));
}

async function measure<File>(files: readonly File[], openFile: (file: File) => Promise<OpenFile>): Promise<Measured> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let sizeBytes = 0;
  let hash = 0n;
  for (const file of files) {
    const handle = await openFile(file);
    try {
      for (let filled = chunk.length; filled === chunk.length; ) {
        filled = await fill(handle, chunk);
        hash = Bun.hash.xxHash64(chunk.subarray(0, filled), hash);
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
