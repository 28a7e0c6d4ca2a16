import { copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifMissing, RetryableError, syncFile, TerminalError } from "../../types/mod.ts";
import type { OpenDestination, Part, RunRange } from "../model.ts";
import { baseName, partName, partOf } from "./fileNames.ts";

/** Failures of a disk that another try does not mend. */
const FINAL = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "ENAMETOOLONG", "EINVAL"]);

/** The files of a run in a folder of this machine. Each appears whole or not at all, and is on the disk when `put` returns. */
export class FolderFiles implements OpenDestination {
  constructor(
    private readonly folder: string,
    private readonly range: RunRange,
    readonly format: OpenDestination["format"],
    /** Whether a list of the files is written beside them. */
    private readonly withManifest: boolean,
  ) {}

  async put(part: Part, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    const path = join(this.folder, partName(this.range, part.number, this.format));
    await onDisk(async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const draft = `${path}.part`;
      await moveOrCopy(part.path, draft);
      await syncFile(draft);
      await rename(draft, path);
    });
    return part.bytes;
  }

  async finish(parts: number): Promise<void> {
    await onDisk(async () => {
      const names = await readdir(this.folder).catch(ifMissing<string[]>([]));
      for (const name of names) {
        const isDraft = name.endsWith(".part");
        const number = partOf(this.range, isDraft ? name.slice(0, -".part".length) : name);
        if (number !== null && (isDraft || number >= parts)) await rm(join(this.folder, name), { force: true });
      }
      if (!this.withManifest) return;
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const files = Array.from({ length: parts }, (_, number) => partName(this.range, number, this.format));
      const path = join(this.folder, `${baseName(this.range)}-manifest.json`);
      await writeFile(`${path}.part`, JSON.stringify({ files }), { flush: true });
      await rename(`${path}.part`, path);
    });
  }

  async close(): Promise<void> {}
}

/** The part is the run's to remove, also where it has been moved. */
async function moveOrCopy(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EXDEV") throw error;
    await copyFile(from, to);
  });
}

/** Tells failures that may pass (no space left) from those that stay. */
async function onDisk(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    if (FINAL.has(code)) throw new TerminalError("destination_refused", message, { cause });
    throw new RetryableError("destination_failed", message, { cause });
  }
}
