import { mkdirSync, unlinkSync } from "node:fs";
import { link, lstat, mkdir, readdir, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import { ifMissing, isAlive } from "./spill.ts";

export interface FileCacheOptions {
  directory: string;
  /** Of all files that are kept, and of those that this process holds at once. */
  maxBytes: number;
  /** False: files go when nobody holds them, and what others keep is neither read nor moved. For checks of the store itself. */
  isShared: boolean;
  /** Brings a file to a path; gives its size, or null when there is none. */
  fetch(name: string, path: string): Promise<number | null>;
  log(message: string): void;
}

/** A file that nobody has used for so long goes, also where there is room: others may have removed it from the store. */
const IDLE_MS = 86_400_000;
/** The folder of a process that is gone; the process may be in a container with numbers of its own, so it is given time. */
const SILENT_MS = 600_000;
const BEAT_MS = 60_000;
const TIDY_MS = 3_600_000;
/** The folder is looked at when this process has added such a share of the limit. */
const LOOK_SHARE = 1 / 16;

/** A file that this process holds. */
interface Held {
  holders: number;
  /** Its size, once the link is there; null when the store has no such file. */
  ready: Promise<number | null>;
}

/**
 * Whole files of a store elsewhere, on the disk of this machine. `files/` has what is kept, by name; all processes of the machine share
 * it. A process that uses a file has a second link to it in `held/<process>/`: so no process can take it from another, and nothing is
 * locked. Each link sets the inode's time of change, which is the time of its last use.
 */
export class FileCache {
  /** Where files are while this process holds them. */
  readonly heldDirectory: string;
  private readonly keptDirectory: string;
  private readonly held = new Map<string, Held>();
  private heldBytes = 0;
  /** Since the last look at the folder. */
  private addedBytes = 0;
  private tidying: Promise<void> | null = null;
  readonly stats = { hits: 0, fetched: 0, fetchedBytes: 0 };

  constructor(private readonly options: FileCacheOptions) {
    const { directory } = options;
    this.keptDirectory = join(directory, "files");
    this.heldDirectory = join(directory, "held", `${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
    for (const path of [this.keptDirectory, this.heldDirectory]) mkdirSync(path, { recursive: true, mode: 0o700 });
    setInterval(() => void this.beat(), BEAT_MS).unref();
    setInterval(() => void this.tidy(Date.now()), TIDY_MS).unref();
    void this.tidy(Date.now());
  }

  /** Where a file is while it is held. */
  pathOf(name: string): string {
    return join(this.heldDirectory, name);
  }

  isHeld(name: string): boolean {
    return this.held.has(name);
  }

  /**
   * Runs `body` while these files are at their paths. `missing` makes the error for one that the store does not have. Throws as `fetch`
   * does; TerminalError `store_cache_too_small`, RetryableError `store_cache_full`; the signal's reason.
   */
  async hold<T>(
    names: readonly string[],
    { missing, signal }: { missing: (name: string) => Error; signal?: AbortSignal | undefined },
    body: () => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const wanted = [...new Set(names)].map((name) => ({ name, held: this.take(name) }));
    let bytes = 0;
    try {
      const brought = wanted.map(async ({ name, held }) => {
        const size = await held.ready;
        if (size === null) throw missing(name);
        bytes += size;
        this.checkRoom(bytes);
      });
      await orAborted(Promise.all(brought), signal);
      return await body();
    } finally {
      for (const { name, held } of wanted) this.release(name, held);
    }
  }

  /** Keeps a file of this machine, which is moved. */
  async put(name: string, path: string): Promise<void> {
    if (!this.options.isShared) return rm(path, { force: true });
    const { size } = await lstat(path);
    await rename(path, join(this.keptDirectory, name));
    this.noteAdded(size);
  }

  /** Who holds the file keeps it. */
  async drop(name: string): Promise<void> {
    await rm(join(this.keptDirectory, name), { force: true });
  }

  /** Removes what is beyond the limit, the longest unused first; what was unused for a day; and what dead processes held. */
  tidy(nowMs: number): Promise<void> {
    const { log } = this.options;
    this.tidying ??= Promise.all([this.evict(nowMs), this.sweepHeld(nowMs)])
      .catch((error) => log(`the cache of files: ${describeError(error)}`))
      .then(() => {
        this.tidying = null;
      });
    return this.tidying;
  }

  private take(name: string): Held {
    const known = this.held.get(name);
    if (known !== undefined) {
      known.holders++;
      return known;
    }
    const held: Held = { holders: 1, ready: this.bring(name) };
    this.held.set(name, held);
    held.ready.then(
      (size) => {
        this.heldBytes += size ?? 0;
        if (held.holders === 0 || size === null) this.forget(name, held, size);
      },
      () => this.forget(name, held, null),
    );
    return held;
  }

  private release(name: string, held: Held): void {
    held.holders--;
    if (held.holders > 0) return;
    // One that is still coming is forgotten when it is there.
    held.ready.then(
      (size) => {
        if (held.holders === 0) this.forget(name, held, size);
      },
      () => {},
    );
  }

  /** At once: nobody can take the file again between its link and its entry. */
  private forget(name: string, held: Held, size: number | null): void {
    if (this.held.get(name) !== held) return;
    this.held.delete(name);
    if (size === null) return;
    this.heldBytes -= size;
    try {
      unlinkSync(this.pathOf(name));
    } catch (error) {
      ifMissing(null)(error as NodeJS.ErrnoException);
    }
  }

  /** Gives the file's size once its link is there. */
  private async bring(name: string): Promise<number | null> {
    const { isShared, fetch } = this.options;
    const path = this.pathOf(name);
    const kept = join(this.keptDirectory, name);
    if (isShared && (await link(kept, path).then(() => true, ifMissing(false)))) {
      this.stats.hits++;
      return (await lstat(path)).size;
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const arriving = `${path}.arriving`;
    try {
      const size = await fetch(name, arriving);
      if (size === null) return null;
      await rename(arriving, path);
      this.stats.fetched++;
      this.stats.fetchedBytes += size;
      // Another process may have brought it meanwhile: then this one uses its own.
      if (isShared && (await link(path, kept).then(() => true, ifThere(false)))) this.noteAdded(size);
      return size;
    } finally {
      await rm(arriving, { force: true });
    }
  }

  private checkRoom(wantedBytes: number): void {
    const { maxBytes } = this.options;
    if (wantedBytes > maxBytes) {
      const problem = `more than ${maxBytes} bytes of files are needed at once: raise WEIR_STORE_CACHE_BYTES`;
      throw new TerminalError("store_cache_too_small", problem);
    }
    if (this.heldBytes > maxBytes) {
      const problem = `files of more than ${maxBytes} bytes (WEIR_STORE_CACHE_BYTES) are in use`;
      throw new RetryableError("store_cache_full", problem);
    }
  }

  private noteAdded(bytes: number): void {
    this.addedBytes += bytes;
    if (this.addedBytes > this.options.maxBytes * LOOK_SHARE) void this.tidy(Date.now());
  }

  private async evict(nowMs: number): Promise<void> {
    this.addedBytes = 0;
    const names = await readdir(this.keptDirectory);
    const looked = names.map(async (name) => {
      const facts = await lstat(join(this.keptDirectory, name)).catch(ifMissing(null));
      return facts === null ? [] : [{ name, sizeBytes: facts.size, usedAtMs: facts.ctimeMs, links: facts.nlink }];
    });
    const files = (await Promise.all(looked)).flat().sort((a, b) => a.usedAtMs - b.usedAtMs);
    let bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    // Each process may add some before it looks again.
    const roomBytes = this.options.maxBytes * (1 - LOOK_SHARE);
    for (const { name, sizeBytes, usedAtMs, links } of files) {
      // To take a file from the kept ones that somebody holds makes no room.
      if (links > 1 || (bytes <= roomBytes && nowMs - usedAtMs < IDLE_MS)) continue;
      await this.drop(name);
      bytes -= sizeBytes;
    }
  }

  private async sweepHeld(nowMs: number): Promise<void> {
    const all = dirname(this.heldDirectory);
    for (const name of await readdir(all)) {
      const path = join(all, name);
      if (path === this.heldDirectory || isAlive(Number.parseInt(name, 10))) continue;
      const facts = await lstat(path).catch(ifMissing(null));
      if (facts === null || nowMs - facts.mtimeMs < SILENT_MS) continue;
      await rm(path, { recursive: true, force: true });
    }
  }

  /** Says to other processes that this one lives. */
  private async beat(): Promise<void> {
    const now = new Date();
    await utimes(this.heldDirectory, now, now).catch(() => {});
  }
}

const ifThere =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === "EEXIST") return instead;
    throw error;
  };

/** What goes on behind the end of the signal is of use to the next one. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  work.catch(() => {});
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
