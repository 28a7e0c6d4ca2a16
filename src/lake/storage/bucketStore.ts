import { open, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Bucket, OpenFile } from "../../bucket/mod.ts";
import { describeError, RetryableError, syncFile, TerminalError } from "../../types/mod.ts";
import { FileCache } from "./fileCache.ts";
import { LocalStore } from "./local.ts";
import { allFilesOf, draftPath, fileName, parseFileName, type SegmentFile, type StoredFile } from "./segmentFile.ts";
import { type HoldOptions, SegmentMissing, type SegmentStore } from "./segmentStore.ts";
import { sweepSpills } from "./spill.ts";

export interface BucketStoreOptions {
  bucket: Bucket;
  workDirectory: string;
  cache: {
    directory: string;
    maxBytes: number;
    /** As `FileCacheOptions` has it. */
    isShared: boolean;
  };
  log(message: string): void;
}

/** Left by a process of this machine that is gone: the collector may run on another one. */
const DRAFT_AGE_MS = 86_400_000;
const SWEEP_MS = 3_600_000;

/**
 * Files are objects of a bucket, each with the name of its file below the bucket's prefix. A location is a path in the cache, where the file
 * is while it is held. Errors: RetryableError `s3_unreachable`, and `s3_refused`: a bucket that refuses Weir is for an operator to repair, as one that
 * is away; no file and no question is to blame.
 */
export class BucketStore implements SegmentStore {
  readonly workDirectory: string;
  readonly cache: FileCache;
  private readonly bucket: Bucket;
  /** Of what never leaves this machine. */
  private readonly work: LocalStore;

  constructor({ bucket, workDirectory, cache, log }: BucketStoreOptions) {
    this.bucket = bucket;
    this.workDirectory = workDirectory;
    this.work = new LocalStore(workDirectory);
    const fetch = (name: string, path: string) => bucket.fetchFile(this.keyOf(name), path).catch(orAgain);
    this.cache = new FileCache({ ...cache, fetch, log });
    const sweep = () => this.sweepWork(Date.now()).catch((error) => log(`old drafts: ${describeError(error)}`));
    void sweep();
    setInterval(() => void sweep(), SWEEP_MS).unref();
  }

  get directory(): string {
    return this.cache.heldDirectory;
  }

  /** A file is uploaded and then kept: its first readers are most often on this machine. */
  async publish(files: readonly SegmentFile[]): Promise<void> {
    const uploads = files.map((file) => this.upload(file));
    await Promise.allSettled(uploads);
    try {
      await Promise.all(uploads);
    } catch (error) {
      for (const file of files) await rm(draftPath(this.workDirectory, file), { force: true });
      throw error;
    }
  }

  locate(file: SegmentFile): string {
    return this.cache.pathOf(fileName(file));
  }

  hold<T>(locations: readonly string[], body: () => Promise<T>, { signal }: HoldOptions = {}): Promise<T> {
    const names = locations.flatMap((location) => this.nameAt(location) ?? []);
    const missing = (name: string) => new SegmentMissing(this.bucket.nameOf(this.keyOf(name)));
    return this.cache.hold(names, { missing, signal }, body);
  }

  open(location: string): Promise<OpenFile> {
    return this.hold([location], () => open(location, "r"));
  }

  read(location: string): Promise<Uint8Array> {
    return this.hold([location], () => readFile(location));
  }

  map(location: string): Promise<Uint8Array> {
    return this.hold([location], async () => Bun.mmap(location));
  }

  async has(location: string): Promise<boolean> {
    const name = this.nameAt(location);
    if (name === null) return this.work.has(location);
    return this.cache.isHeld(name) || this.bucket.has(this.keyOf(name)).catch(orAgain);
  }

  async list(): Promise<StoredFile[]> {
    const { folder } = this.bucket;
    const listed = await this.bucket.list(folder).catch(orAgain);
    const objects = listed.map(({ key, changedAtMs }): StoredFile => {
      const name = key.slice(folder.length);
      return { name, location: this.cache.pathOf(name), ...parseFileName(name), changedAtMs };
    });
    return [...objects, ...(await this.work.list())];
  }

  async remove(id: string): Promise<void> {
    await Promise.all(
      allFilesOf(id).map(async (file) => {
        await this.bucket.remove(this.keyOf(fileName(file))).catch(orAgain);
        await this.cache.drop(fileName(file));
      }),
    );
    await this.work.remove(id);
  }

  private async upload(file: SegmentFile): Promise<void> {
    const name = fileName(file);
    const draft = draftPath(this.workDirectory, file);
    // It is kept beyond this process, so it must be whole after a loss of power too.
    const work = [this.bucket.writeFile(this.keyOf(name), draft).catch(orAgain), syncFile(draft)];
    await Promise.allSettled(work);
    await Promise.all(work);
    await this.cache.put(name, draft);
  }

  private keyOf(name: string): string {
    return this.bucket.folder + name;
  }

  /** Null: the location is of the work folder. */
  private nameAt(location: string): string | null {
    return dirname(location) === this.cache.heldDirectory ? basename(location) : null;
  }

  /** Drafts and raw files of processes of this machine that are gone, and what they spilled. */
  private async sweepWork(nowMs: number): Promise<void> {
    for (const { name, part, changedAtMs } of await this.work.list()) {
      if (part !== "unfinished" || nowMs - changedAtMs < DRAFT_AGE_MS) continue;
      await rm(join(this.workDirectory, name), { force: true });
    }
    await sweepSpills(this.workDirectory);
  }
}

function orAgain(error: unknown): never {
  if (!(error instanceof TerminalError)) throw error;
  throw new RetryableError(error.code, error.message, { cause: error });
}
