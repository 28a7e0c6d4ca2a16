import { mkdirSync } from "node:fs";
import { link, lstat, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describeError, ifMissing } from "../../types/mod.ts";

export interface KeptFilesOptions {
  directory: string;
  maxBytes: number;
  log(message: string): void;
}

/** A file that nobody has used for so long goes, also where there is room: others may have removed it from the store. */
const IDLE_MS = 86_400_000;
/** The folder is looked at when this process has added such a share of the limit. */
const LOOK_SHARE = 1 / 16;

/**
 * One folder of whole files, which all processes of a machine share. A process reads a file by a second link of its own: so none can take it
 * from another, and nothing is locked. Each link sets the inode's time of change, which is the time of its last use.
 */
export class KeptFiles {
  /** By this process, since its last look. */
  private addedBytes = 0;
  private looking: Promise<void> | null = null;

  constructor(private readonly options: KeptFilesOptions) {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  }

  /** Makes a second link to a file; false where it is not kept. */
  lend(name: string, path: string): Promise<boolean> {
    return link(this.pathOf(name), path).then(() => true, ifMissing(false));
  }

  /** Keeps a file by a second link. Another process may have been first: then that one stays. */
  async add(name: string, path: string, sizeBytes: number): Promise<void> {
    if (await link(path, this.pathOf(name)).then(() => true, ifThere(false))) this.noteAdded(sizeBytes);
  }

  /** Keeps a file, which is moved. */
  async take(name: string, path: string): Promise<void> {
    const { size } = await lstat(path);
    await rename(path, this.pathOf(name));
    this.noteAdded(size);
  }

  /** Links of others stay. */
  async drop(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
  }

  /** Removes what is beyond the limit, the longest unused first, and what was unused for a day. A failure is logged. */
  evict(nowMs: number): Promise<void> {
    const { log } = this.options;
    this.looking ??= this.look(nowMs)
      .catch((error) => log(`the cache of files: ${describeError(error)}`))
      .then(() => {
        this.looking = null;
      });
    return this.looking;
  }

  private async look(nowMs: number): Promise<void> {
    this.addedBytes = 0;
    const looked = (await readdir(this.options.directory)).map(async (name) => {
      const facts = await lstat(this.pathOf(name)).catch(ifMissing(null));
      return facts === null ? [] : [{ name, sizeBytes: facts.size, usedAtMs: facts.ctimeMs, links: facts.nlink }];
    });
    const files = (await Promise.all(looked)).flat().sort((a, b) => a.usedAtMs - b.usedAtMs);
    let bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    // Each process may add some before it looks again.
    const roomBytes = this.options.maxBytes * (1 - LOOK_SHARE);
    for (const { name, sizeBytes, usedAtMs, links } of files) {
      // To take away a file that somebody reads makes no room.
      if (links > 1 || (bytes <= roomBytes && nowMs - usedAtMs < IDLE_MS)) continue;
      await this.drop(name);
      bytes -= sizeBytes;
    }
  }

  private noteAdded(bytes: number): void {
    this.addedBytes += bytes;
    if (this.addedBytes > this.options.maxBytes * LOOK_SHARE) void this.evict(Date.now());
  }

  private pathOf(name: string): string {
    return join(this.options.directory, name);
  }
}

const ifThere =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === "EEXIST") return instead;
    throw error;
  };
