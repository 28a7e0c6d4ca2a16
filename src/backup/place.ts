import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { Bucket, type BucketOptions } from "../bucket/mod.ts";
import { ifMissing, syncFile, TerminalError } from "../types/mod.ts";

/** An object of a place. */
export interface Kept {
  /** With `/` between its parts. */
  name: string;
  sizeBytes: number;
  /** Epoch milliseconds. */
  changedAtMs: number;
}

/** Where backups lie. What is put there appears whole and durable, or not at all. */
export interface Place {
  list(): Promise<Kept[]>;
  putFile(name: string, path: string): Promise<void>;
  putText(name: string, text: string): Promise<void>;
  /** Null when there is none. */
  text(name: string): Promise<string | null>;
  /** Copies an object to a path, whose folder exists; what was there is replaced. Throws TerminalError `backup_damaged` where it is gone. */
  fetch(name: string, path: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A folder, or `s3://BUCKET/PREFIX`. Throws UsageError. */
export function openPlace(address: string, options: BucketOptions): Place {
  return address.startsWith("s3://") ? new BucketPlace(address, options) : new FolderPlace(address);
}

const UNFINISHED = ".unfinished";

class FolderPlace implements Place {
  constructor(private readonly root: string) {}

  async list(): Promise<Kept[]> {
    const entries = await readdir(this.root, { recursive: true, withFileTypes: true }).catch(ifMissing([]));
    const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED));
    return Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        const { size, mtimeMs } = await lstat(path);
        return { name: relative(this.root, path), sizeBytes: size, changedAtMs: mtimeMs };
      }),
    );
  }

  putFile(name: string, path: string): Promise<void> {
    return this.put(name, (draft) => copyFile(path, draft, constants.COPYFILE_FICLONE));
  }

  putText(name: string, text: string): Promise<void> {
    return this.put(name, (draft) => writeFile(draft, text, { mode: 0o600 }));
  }

  text(name: string): Promise<string | null> {
    return readFile(join(this.root, name), "utf8").catch(ifMissing(null));
  }

  async fetch(name: string, path: string): Promise<void> {
    const isThere = await copyFile(join(this.root, name), path, constants.COPYFILE_FICLONE).then(
      () => true,
      ifMissing(false),
    );
    if (!isThere) throw gone(name);
    await syncFile(path);
  }

  remove(name: string): Promise<void> {
    return rm(join(this.root, name), { force: true });
  }

  /** A backup has what the data folder has: it is for this user alone. */
  private async put(name: string, write: (draft: string) => Promise<void>): Promise<void> {
    const path = join(this.root, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}${UNFINISHED}`;
    await write(draft);
    await syncFile(draft);
    await rename(draft, path);
    await syncFile(dirname(path));
  }
}

class BucketPlace implements Place {
  private readonly bucket: Bucket;
  private readonly root: string;

  constructor(address: string, options: BucketOptions) {
    this.bucket = Bucket.at(address, options);
    this.root = this.bucket.folder;
  }

  async list(): Promise<Kept[]> {
    const objects = await this.bucket.list(this.root);
    return objects.map(({ key, sizeBytes, changedAtMs }) => {
      return { name: key.slice(this.root.length), sizeBytes, changedAtMs };
    });
  }

  putFile(name: string, path: string): Promise<void> {
    return this.bucket.writeFile(this.root + name, path);
  }

  putText(name: string, text: string): Promise<void> {
    return this.bucket.writeText(this.root + name, text);
  }

  text(name: string): Promise<string | null> {
    return this.bucket.text(this.root + name);
  }

  async fetch(name: string, path: string): Promise<void> {
    if ((await this.bucket.fetchFile(this.root + name, path)) === null) throw gone(name);
  }

  remove(name: string): Promise<void> {
    return this.bucket.remove(this.root + name);
  }
}

const gone = (name: string) => new TerminalError("backup_damaged", `the backup has no ${name}`);
