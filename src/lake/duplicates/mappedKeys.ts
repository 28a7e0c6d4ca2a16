import { RetryableError } from "../../types/mod.ts";
import { keysPath } from "../storage/mod.ts";
import { KeyFile } from "./keyFile.ts";

/** Key files of compacted segments, mapped into memory when they are needed; the longest unused is let go first. */
export class MappedKeys {
  private readonly files = new Map<string, KeyFile>();

  constructor(
    private readonly directory: string,
    private readonly maxFiles: number,
  ) {}

  /** Throws RetryableError `segment_missing` when the file has been collected: the list of segments is old. */
  get(segmentId: string): KeyFile {
    const file = this.files.get(segmentId) ?? mapKeyFile(this.directory, segmentId);
    this.files.delete(segmentId);
    this.files.set(segmentId, file);
    if (this.files.size > this.maxFiles) this.forget(this.files.keys().next().value!);
    return file;
  }

  forget(segmentId: string): void {
    this.files.delete(segmentId);
  }
}

/** A mapped file stays readable after it has been unlinked. */
export function mapKeyFile(directory: string, segmentId: string): KeyFile {
  let bytes: Uint8Array;
  try {
    bytes = Bun.mmap(keysPath(directory, segmentId));
  } catch (error) {
    throw new RetryableError("segment_missing", `the keys of segment ${segmentId} are gone`, { cause: error });
  }
  return new KeyFile(bytes);
}
