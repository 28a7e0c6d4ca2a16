import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFile } from "../../types/mod.ts";
import type { Staging } from "../types.ts";

/** A part as it was written, in `parts.jsonl` of the folder. */
export interface StagedPart {
  name: string;
  sizeBytes: number;
  sha256: string;
}

/** Parts done, parts in all, and what is waited for. */
export type OnTell = (done: number, all: number, waitsFor: string | null) => void;

const LIST = "parts.jsonl";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;

/**
 * The parts of an API's answers as files, each written once. A part is written aside, synced, renamed, synced as a name, and only then listed with
 * size and checksum; so a part that is listed is whole, and what a kill leaves behind is written again.
 */
export class StagingFolder implements Staging {
  private constructor(
    readonly folder: string,
    readonly signal: AbortSignal,
    private readonly listed: Map<string, StagedPart>,
    private readonly onTell: OnTell,
  ) {}

  /** Makes the folder where there is none. */
  static async open(folder: string, signal: AbortSignal, onTell: OnTell = () => {}): Promise<StagingFolder> {
    await mkdir(folder, { recursive: true });
    return new StagingFolder(folder, signal, await readList(join(folder, LIST)), onTell);
  }

  /** What is there, by name. */
  get parts(): StagedPart[] {
    return [...this.listed.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Where a part lies. */
  path(name: string): string {
    return join(this.folder, name);
  }

  private told: [done: number, all: number] = [0, 0];

  tell(done: number, all: number): void {
    this.told = [done, all];
    this.onTell(done, all, null);
  }

  waiting(reason: string | null): void {
    this.onTell(...this.told, reason);
  }

  /** A part that was changed or lost since is written again. */
  async part(name: string, write: (path: string) => Promise<void>): Promise<void> {
    if (!NAME.test(name) || name === LIST) throw new Error(`${name} is no name of a part`);
    if (await this.isThere(name)) return;
    this.signal.throwIfAborted();
    const aside = join(this.folder, `.${name}.partial`);
    await rm(aside, { force: true });
    await write(aside);
    await syncFile(aside);
    const part = { name, ...(await measured(aside)) };
    await rename(aside, this.path(name));
    await syncFile(this.folder);
    const list = join(this.folder, LIST);
    // A line break in front: a kill may have left half a line.
    await appendFile(list, `\n${JSON.stringify(part)}\n`);
    await syncFile(list);
    this.listed.set(name, part);
  }

  private async isThere(name: string): Promise<boolean> {
    const part = this.listed.get(name);
    if (part === undefined) return false;
    const path = this.path(name);
    const size = await stat(path).then(
      ({ size }) => size,
      () => null,
    );
    return size === part.sizeBytes && (await measured(path)).sha256 === part.sha256;
  }
}

async function readList(path: string): Promise<Map<string, StagedPart>> {
  const text = await readFile(path, "utf8").catch(() => "");
  const parts = new Map<string, StagedPart>();
  for (const line of text.split("\n")) {
    const part = partIn(line);
    if (part !== null) parts.set(part.name, part);
  }
  return parts;
}

function partIn(line: string): StagedPart | null {
  if (line === "") return null;
  try {
    return JSON.parse(line) as StagedPart;
  } catch {
    return null;
  }
}

async function measured(path: string): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const piece of createReadStream(path)) {
    hash.update(piece as Uint8Array);
    sizeBytes += (piece as Uint8Array).length;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}
