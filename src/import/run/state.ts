import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describeError, TerminalError } from "../../types/mod.ts";
import type { Counts } from "./counts.ts";

/** What an import is; it never changes. */
export interface ImportFacts {
  id: string;
  source: string;
  /** The command line: words and options, without the key. */
  words: string[];
  options: Record<string, string | boolean>;
  /** The folder in which the command was given. */
  cwd: string;
  url: string;
  project: number;
  mappingHash: string;
  startedAt: string;
}

const PHASES = ["survey", "firsts", "rows", "settle", "check", "done"] as const;
export type Phase = (typeof PHASES)[number];

/** How far an import is. */
export interface Progress {
  phase: Phase;
  /** Of the files. */
  fingerprint: string;
  /** Of the phase: rows, or firsts, that are done. */
  done: number;
  counts: Counts;
  /** Bytes of `sent` and `rejects` that belong to what is done. */
  sentBytes: number;
  rejectsBytes: number;
  /** What the survey found; null before its end. */
  survey: object | null;
}

/** The folder of one import. */
export class State {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  static isIn(folder: string): boolean {
    return existsSync(join(folder, "import.json"));
  }

  writeFacts(facts: ImportFacts): void {
    this.replace("import.json", facts);
  }

  /** Throws TerminalError `no_state`, `state_damaged`. */
  readFacts(): ImportFacts {
    const facts = this.read<ImportFacts>("import.json");
    if (facts === null) throw new TerminalError("no_state", `There is no import in ${this.folder}.`);
    return facts;
  }

  writeProgress(progress: Progress): void {
    this.replace("progress.json", progress);
  }

  /** Null where there is none yet. Throws TerminalError `state_damaged`. */
  readProgress(): Progress | null {
    return this.read<Progress>("progress.json");
  }

  /** Replaces a file of JSON whole: a kill leaves the old one or the new one. */
  replace(name: string, value: unknown): void {
    const path = this.path(name);
    writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  }

  /** A file of JSON; null where there is none. Throws TerminalError `state_damaged`. */
  read<T>(name: string): T | null {
    try {
      return JSON.parse(readFileSync(this.path(name), "utf8")) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw this.damaged(name, `cannot be read (${describeError(error)})`);
    }
  }

  /** The error of a file that is not as it was left. */
  damaged(name: string, problem: string): TerminalError {
    const advice = "import again. What is stored already counts as duplicates.";
    return new TerminalError("state_damaged", `${this.path(name)} ${problem}: ${advice}`);
  }

  /** Opens a file to write behind its first bytes; null where it is shorter. */
  append(name: string, keepBytes: number): Appending | null {
    return Appending.open(this.path(name), keepBytes);
  }

  /** A folder for what is needed while the import runs. */
  get scratch(): string {
    const folder = this.path("scratch");
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  removeFolders(...names: string[]): void {
    for (const name of names) rmSync(this.path(name), { recursive: true, force: true });
  }
}

/** A file that grows. */
export class Appending {
  private constructor(
    private readonly file: number,
    /** With all that was added. */
    public bytes: number,
  ) {}

  static open(path: string, keepBytes: number): Appending | null {
    const file = openSync(path, existsSync(path) ? "r+" : "w+");
    if (fstatSync(file).size < keepBytes) {
      closeSync(file);
      return null;
    }
    ftruncateSync(file, keepBytes);
    return new Appending(file, keepBytes);
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const written = writeSync(this.file, bytes, at, bytes.length - at, this.bytes);
      at += written;
      this.bytes += written;
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
