import { readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LocalStore, type SegmentStore } from "../../src/lake/mod.ts";
import { draftPath, fileName, type SegmentFile, type StoredFile } from "../../src/lake/storage/segmentFile.ts";
import { SegmentMissing } from "../../src/lake/storage/segmentStore.ts";

/**
 * Published files are bytes in memory, as in a store beyond this machine. They are on disk, under names of their own, only
 * while they are held.
 */
export class ElsewhereStore implements SegmentStore {
  readonly published = new Map<string, { file: SegmentFile; bytes: Uint8Array }>();
  private readonly holders = new Map<string, number>();
  private readonly work: LocalStore;

  constructor(
    readonly workDirectory: string,
    readonly directory: string,
  ) {
    this.work = new LocalStore(workDirectory);
  }

  async publish(files: readonly SegmentFile[]): Promise<void> {
    for (const file of files) {
      const draft = draftPath(this.workDirectory, file);
      this.published.set(this.locate(file), { file, bytes: readFileSync(draft) });
      await rm(draft);
    }
  }

  locate({ id, part }: SegmentFile): string {
    return join(this.directory, `${part}-of-${id}`);
  }

  async hold<T>(locations: readonly string[], body: () => Promise<T>): Promise<T> {
    const wanted = locations.filter((location) => location.startsWith(this.directory));
    try {
      for (const location of wanted) {
        this.holders.set(location, (this.holders.get(location) ?? 0) + 1);
        await mkdir(this.directory, { recursive: true });
        await Bun.write(location, await this.map(location));
      }
      return await body();
    } finally {
      for (const location of wanted) {
        const left = (this.holders.get(location) ?? 1) - 1;
        this.holders.set(location, left);
        if (left === 0) await rm(location, { force: true });
      }
    }
  }

  async open(location: string) {
    const bytes = await this.map(location);
    let at = 0;
    const read = async (buffer: Uint8Array, offset: number, length: number) => {
      const piece = bytes.subarray(at, at + length);
      buffer.set(piece, offset);
      at += piece.length;
      return { bytesRead: piece.length };
    };
    return { read, close: async () => {} };
  }

  async map(location: string): Promise<Uint8Array> {
    const found = this.published.get(location);
    if (found === undefined) throw new SegmentMissing(location);
    return found.bytes;
  }

  read = (location: string) => this.map(location);
  has = async (location: string) => this.published.has(location) || (await this.work.has(location));

  async list(): Promise<StoredFile[]> {
    const published = [...this.published].map(([location, { file }]) => {
      return { name: fileName(file), location, ...file, changedAtMs: 0 };
    });
    return [...published, ...(await this.work.list())];
  }

  async remove(id: string): Promise<void> {
    for (const part of ["rows", "keys", "rollup", "journey", "personRows"] as const)
      this.published.delete(this.locate({ id, part }));
    await this.work.remove(id);
  }
}
