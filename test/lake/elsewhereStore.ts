import { mkdirSync, renameSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LocalStore, type SegmentStore } from "../../src/lake/mod.ts";
import { draftPath, fileName, type SegmentFile } from "../../src/lake/storage/segmentFile.ts";
import type { StoredFile } from "../../src/lake/storage/segmentStore.ts";

/** Published files lie in another folder than drafts, under names of their own, as in a store beyond this machine. */
export class ElsewhereStore implements SegmentStore {
  private readonly work: LocalStore;

  constructor(
    readonly workDirectory: string,
    private readonly elsewhere: string,
  ) {
    this.work = new LocalStore(workDirectory);
    mkdirSync(elsewhere, { recursive: true });
  }

  async publish(files: readonly SegmentFile[]): Promise<void> {
    for (const file of files) renameSync(draftPath(this.workDirectory, file), this.locate(file));
  }

  locate({ id, part }: SegmentFile): string {
    return join(this.elsewhere, `${part}-of-${id}`);
  }

  open = (location: string) => this.work.open(location);
  read = (location: string) => this.work.read(location);
  map = (location: string) => this.work.map(location);
  has = (location: string) => this.work.has(location);

  async list(): Promise<StoredFile[]> {
    const published = (await readdir(this.elsewhere)).map((name): StoredFile => {
      const [part, id] = name.split("-of-") as [SegmentFile["part"], string];
      return { name: fileName({ id, part }), location: join(this.elsewhere, name), id, part, changedAtMs: 0 };
    });
    return [...published, ...(await this.work.list())];
  }

  async remove(id: string): Promise<void> {
    for (const part of ["rows", "keys", "rollup"] as const) await rm(this.locate({ id, part }), { force: true });
    await this.work.remove(id);
  }
}
