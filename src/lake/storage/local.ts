import { lstat, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { allFilesOf, draftPath, fileName, parseFileName, rawPath, type SegmentFile } from "./segmentFile.ts";
import { type OpenFile, SegmentMissing, type SegmentStore, type StoredFile } from "./segmentStore.ts";
import { ifMissing, SPILL } from "./spill.ts";

/** All files in one folder of this machine, which is the work folder too. A location is a path. */
export class LocalStore implements SegmentStore {
  /** The folder must exist when a file is written or listed. */
  constructor(readonly workDirectory: string) {}

  /** fsync of each file, rename of each, then one fsync of the folder. */
  async publish(files: readonly SegmentFile[]): Promise<void> {
    if (files.length === 0) return;
    const finished = files.map((file) => this.finish(file));
    await Promise.allSettled(finished);
    await Promise.all(finished);
    await sync(this.workDirectory, "r");
  }

  locate(file: SegmentFile): string {
    return join(this.workDirectory, fileName(file));
  }

  hold<T>(_locations: readonly string[], body: () => Promise<T>): Promise<T> {
    return body();
  }

  open(location: string): Promise<OpenFile> {
    return open(location, "r").catch(missing(location));
  }

  read(location: string): Promise<Uint8Array> {
    return readFile(location).catch(missing(location));
  }

  map(location: string): Promise<Uint8Array> {
    return Promise.try(() => Bun.mmap(location)).catch(missing(location));
  }

  async has(location: string): Promise<boolean> {
    return (await factsOf(location)) !== null;
  }

  async list(): Promise<StoredFile[]> {
    const names = await this.names();
    const files = await Promise.all(names.map((name) => this.describe(name)));
    return files.flatMap((file) => file ?? []);
  }

  async remove(id: string): Promise<void> {
    const published = allFilesOf(id).map((file) => this.locate(file));
    const unfinished = allFilesOf(id).map((file) => draftPath(this.workDirectory, file));
    for (const path of [...published, ...unfinished, rawPath(this.workDirectory, id)]) await rm(path, { force: true });
  }

  private async finish(file: SegmentFile): Promise<void> {
    const draft = draftPath(this.workDirectory, file);
    await sync(draft, "r+");
    await rename(draft, this.locate(file));
  }

  /** Of all files in the folder and in folders below it. */
  private async names(): Promise<string[]> {
    const directory = this.workDirectory;
    const top = await readdir(directory, { withFileTypes: true });
    const below = top.filter((entry) => entry.isDirectory() && entry.name !== SPILL).map(({ name }) => name);
    const inside = await Promise.all(
      below.map((name) => readdir(join(directory, name), { recursive: true, withFileTypes: true })),
    );
    return [...top, ...inside.flat()]
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
  }

  /** Null when it was removed meanwhile. */
  private async describe(name: string): Promise<StoredFile | null> {
    const location = join(this.workDirectory, name);
    const facts = await factsOf(location);
    return facts && { name, location, ...parseFileName(name), changedAtMs: facts.mtimeMs };
  }
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Null when there is no such file. */
const factsOf = (location: string) => lstat(location).catch(ifMissing(null));

/** Makes SegmentMissing of ENOENT, and leaves all other errors. */
const missing = (location: string) => (error: NodeJS.ErrnoException) => {
  throw error.code === "ENOENT" ? new SegmentMissing(location, { cause: error }) : error;
};
