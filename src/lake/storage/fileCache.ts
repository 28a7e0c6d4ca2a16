import { mkdirSync, unlinkSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeError, ifMissing, RetryableError, TerminalError } from "../../types/mod.ts";
import { KeptFiles, type KeptFilesOptions } from "./keptFiles.ts";
import { isAlive } from "./spill.ts";

/** `maxBytes`: of all files that are kept, and of those that this process holds at once. */
export interface FileCacheOptions extends KeptFilesOptions {
  /** False: files go when nobody holds them, and what others keep is neither read nor moved. For checks of the store itself. */
  isShared: boolean;
  /** Brings a file to a path; gives its size, or null when there is none. */
  fetch(name: string, path: string): Promise<number | null>;
}

/** The folder of a process that is gone; the process may be in a container with numbers of its own, so it is given time. */
const SILENT_MS = 600_000;
const BEAT_MS = 60_000;
const TIDY_MS = 3_600_000;
/** A file that this process holds. */
interface Held {
  holders: number;
  /** Its size, once the link is there; null when the store has no such file. */
  ready: Promise<number | null>;
}

/**
 * Whole files of a store elsewhere, on the disk of this machine. `files/` has what is kept for all processes of the machine, `held/<process>/`
 * links to what one of them reads.
 */
export class FileCache {
  /** Where files are while this process holds them. */
  readonly heldDirectory: string;
  private readonly kept: KeptFiles;
  private readonly held = new Map<string, Held>();
  private heldBytes = 0;
  readonly stats = { hits: 0, fetched: 0, fetchedBytes: 0 };

  constructor(private readonly options: FileCacheOptions) {
    const { directory, maxBytes, log } = options;
    this.kept = new KeptFiles({ directory: join(directory, "files"), maxBytes, log });
    this.heldDirectory = join(directory, "held", `${process.pid}-${crypto.randomUUID().slice(0, 8)}`);
    mkdirSync(this.heldDirectory, { recursive: true, mode: 0o700 });
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
  put(name: string, path: string): Promise<void> {
    return this.options.isShared ? this.kept.take(name, path) : rm(path, { force: true });
  }

  /** Who holds the file keeps it. */
  drop(name: string): Promise<void> {
    return this.kept.drop(name);
  }

  /** Removes what need not be kept, and what dead processes held. */
  async tidy(nowMs: number): Promise<void> {
    const swept = this.sweepHeld(nowMs).catch((error) => this.options.log(`old links: ${describeError(error)}`));
    await Promise.all([this.kept.evict(nowMs), swept]);
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
    if (isShared && (await this.kept.lend(name, path))) {
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
      if (isShared) await this.kept.add(name, path, size);
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
