import { copyFile, lstat, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { OpenFile } from "../../bucket/mod.ts";
import { ifMissing, syncFile } from "../../types/mod.ts";
import {
  allFilesOf,
  draftPath,
  fileName,
  parseFileName,
  rawPath,
  type SegmentFile,
  type StoredFile,
} from "./segmentFile.ts";
import { SegmentMissing, type SegmentStore } from "./segmentStore.ts";
import { SPILL } from "./spill.ts";

/**
 * All files in one folder, where they are read in place: the work folder itself, or one that machines share. A location is a path. The folders
 * must exist when a file is written or listed.
 */
export class LocalStore implements SegmentStore {
  constructor(
    readonly workDirectory: string,
    readonly directory = workDirectory,
  ) {}

  /** fsync of each file, rename of each, then one fsync of the folder. Into a shared folder drafts are copied first. */
  async publish(files: readonly SegmentFile[]): Promise<void> {
    if (files.length === 0) return;
    const finished = files.map((file) => this.finish(file));
    await Promise.allSettled(finished);
    await Promise.all(finished);
    await syncFile(this.directory);
  }

  locate(file: SegmentFile): string {
    return join(this.directory, fileName(file));
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
    const paths = await pathsBelow(this.workDirectory);
    if (this.isShared) paths.push(...(await pathsBelow(this.directory)));
    const files = await Promise.all(paths.map((path) => this.describe(path)));
    return files.flatMap((file) => file ?? []);
  }

  async remove(id: string): Promise<void> {
    const published = allFilesOf(id).map((file) => this.locate(file));
    const folders = this.isShared ? [this.workDirectory, this.directory] : [this.workDirectory];
    const unfinished = folders.flatMap((folder) => allFilesOf(id).map((file) => draftPath(folder, file)));
    for (const path of [...published, ...unfinished, rawPath(this.workDirectory, id)]) await rm(path, { force: true });
  }

  private get isShared(): boolean {
    return this.directory !== this.workDirectory;
  }

  private async finish(file: SegmentFile): Promise<void> {
    const draft = draftPath(this.workDirectory, file);
    const near = draftPath(this.directory, file);
    if (this.isShared) await copyFile(draft, near);
    await syncFile(near);
    await rename(near, this.locate(file));
    if (this.isShared) await rm(draft);
  }

  /** Null when it was removed meanwhile. */
  private async describe(location: string): Promise<StoredFile | null> {
    const folder = location.startsWith(`${this.directory}/`) ? this.directory : this.workDirectory;
    const name = relative(folder, location);
    const facts = await factsOf(location);
    return facts && { name, location, ...parseFileName(name), changedAtMs: facts.mtimeMs };
  }
}

/** Of all files in a folder and in folders below it, but for what engines spill. */
async function pathsBelow(directory: string): Promise<string[]> {
  const top = await readdir(directory, { withFileTypes: true });
  const below = top.filter((entry) => entry.isDirectory() && entry.name !== SPILL).map(({ name }) => name);
  const inside = await Promise.all(
    below.map((name) => readdir(join(directory, name), { recursive: true, withFileTypes: true })),
  );
  return [...top, ...inside.flat()]
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Null when there is no such file. */
const factsOf = (location: string) => lstat(location).catch(ifMissing(null));

/** Makes SegmentMissing of ENOENT, and leaves all other errors. */
const missing = (location: string) => (error: NodeJS.ErrnoException) => {
  throw error.code === "ENOENT" ? new SegmentMissing(location, { cause: error }) : error;
};
