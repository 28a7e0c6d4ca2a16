import { mkdirSync } from "node:fs";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { JsonFile, spillDirectory, sweepSpills } from "../../lake/mod.ts";
import { type LongRows, readPieces } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { RetryableError } from "../../types/mod.ts";
import { LongList } from "../http/longList.ts";

/** A file, and the calculations and readers that need it now. */
interface Held {
  file: Promise<JsonFile>;
  sizeBytes: number;
  readers: number;
}

interface LongResultsParts {
  db: Db;
  /** Where the files lie, in a folder of this process. */
  directory: string;
  /** Files that are held for readers, all together. */
  maxBytes: number;
}

/**
 * The rows of long results, as files: one for all readers of the same rows. A file without readers is held while there is
 * room. What is not held comes from the record store again.
 */
export class LongResults {
  /** By calculation, in order of last use. */
  private readonly held = new Map<string, Held>();
  private readonly directory: string;
  private isMade = false;

  constructor(private readonly parts: LongResultsParts) {
    this.directory = spillDirectory(parts.directory);
  }

  /** Takes over the rows of a new calculation. */
  async adopt({ runId, sizeBytes }: LongRows, file: JsonFile): Promise<void> {
    this.held.set(runId, { file: file.movedTo(this.newPath()), sizeBytes, readers: 0 });
    await this.held.get(runId)!.file;
    this.makeRoom(0);
  }

  /** Of a new file for rows. */
  newPath(): string {
    if (!this.isMade) {
      mkdirSync(this.directory, { recursive: true });
      // Of processes that were killed.
      sweepSpills(this.parts.directory).catch(() => {});
      this.isMade = true;
    }
    return join(this.directory, crypto.randomUUID());
  }

  /** Removes all files. */
  close(): Promise<void> {
    this.held.clear();
    return rm(this.directory, { recursive: true, force: true });
  }

  /**
   * Runs `body` with the file of rows, which stays as long. Errors: RetryableError `answers_busy` where those that are read have
   * used up all room, `answer_gone` where the rows have been forgotten.
   */
  async *reading<T>(rows: LongRows, teamId: number, body: (file: JsonFile) => AsyncGenerator<T>): AsyncGenerator<T> {
    const held = this.hold(rows, teamId);
    held.readers++;
    try {
      yield* body(await held.file);
    } finally {
      held.readers--;
      this.makeRoom(0);
    }
  }

  private hold(rows: LongRows, teamId: number): Held {
    const { runId, sizeBytes } = rows;
    let held = this.held.get(runId);
    if (held === undefined) {
      if (!this.makeRoom(sizeBytes)) throw new RetryableError("answers_busy", "too many long answers are being read");
      held = { file: this.load(rows, teamId), sizeBytes, readers: 0 };
      held.file.catch(() => this.held.delete(runId));
    }
    this.held.delete(runId);
    this.held.set(runId, held);
    return held;
  }

  private async load({ runId, sizeBytes }: LongRows, teamId: number): Promise<JsonFile> {
    const path = this.newPath();
    try {
      await writeFile(path, readPieces(this.parts.db, runId, teamId));
      if ((await stat(path)).size === sizeBytes) return new JsonFile(path, sizeBytes);
      throw new RetryableError("answer_gone", "the result has been replaced by a newer one");
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** Removes files that nobody reads, those not used for longest first, until `bytes` fit in; false where they do not. */
  private makeRoom(bytes: number): boolean {
    let used = bytes;
    for (const { sizeBytes } of this.held.values()) used += sizeBytes;
    for (const [runId, { sizeBytes, readers, file }] of this.held) {
      if (used <= this.parts.maxBytes) break;
      if (readers > 0) continue;
      this.held.delete(runId);
      used -= sizeBytes;
      file.then((made) => made.remove()).catch(() => {});
    }
    return used <= this.parts.maxBytes;
  }
}

/** The rows of a long result, in the place of the list. */
export class ResultList extends LongList {
  constructor(
    private readonly results: LongResults,
    private readonly rows: LongRows,
    private readonly teamId: number,
  ) {
    super();
  }

  text(): AsyncGenerator<Uint8Array> {
    return this.results.reading(this.rows, this.teamId, (file) => file.chunks());
  }

  pieces(): AsyncGenerator<unknown[]> {
    return this.results.reading(this.rows, this.teamId, (file) => file.pieces());
  }
}
