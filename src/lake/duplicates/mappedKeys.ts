import type { SegmentStore } from "../storage/mod.ts";
import { KeyFile } from "./keyFile.ts";

/** Key files of compacted segments, mapped into memory when they are needed; the longest unused is let go first. */
export class MappedKeys {
  private readonly files = new Map<string, KeyFile>();

  constructor(
    private readonly store: SegmentStore,
    private readonly maxFiles: number,
  ) {}

  /** Throws SegmentMissing. */
  async get(segmentId: string): Promise<KeyFile> {
    const file = this.files.get(segmentId) ?? (await mapKeyFile(this.store, segmentId));
    this.files.delete(segmentId);
    this.files.set(segmentId, file);
    if (this.files.size > this.maxFiles) for (const oldest of this.files.keys().take(1)) this.forget(oldest);
    return file;
  }

  forget(segmentId: string): void {
    this.files.delete(segmentId);
  }
}

/** A mapped file stays readable after it was removed. Throws SegmentMissing. */
export async function mapKeyFile(store: SegmentStore, segmentId: string): Promise<KeyFile> {
  return new KeyFile(await store.map(store.locate({ id: segmentId, part: "keys" })));
}
