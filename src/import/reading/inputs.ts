import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BucketOptions } from "../../bucket/mod.ts";
import { UsageError } from "../../types/mod.ts";
import type { Input } from "./input.ts";
import { localFile } from "./localFile.ts";
import { s3Inputs } from "./s3.ts";
import { zipInputs } from "./zip.ts";

/**
 * All files behind words: files, folders with everything in them, `s3://bucket/prefix`; the entries of zips in place of these. In the
 * order of the words, those of a folder by name. Throws UsageError for one that is not there, and TerminalError.
 */
export async function inputsOf(words: readonly string[], s3: BucketOptions): Promise<Input[]> {
  const found: Input[] = [];
  for (const word of words) {
    if (word.startsWith("s3://")) found.push(...(await s3Inputs(word, s3)));
    else for (const path of await filesOf(word)) found.push(...(await inputsOfFile(path)));
  }
  return found;
}

async function filesOf(word: string): Promise<string[]> {
  const path = resolve(word);
  const found = await stat(path).catch(() => null);
  if (found === null) throw new UsageError(`There is no file or folder ${word}.`);
  return found.isDirectory() ? filesBelow(path) : [path];
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith(".")).sort((a, b) => (a.name < b.name ? -1 : 1));
  const files: string[] = [];
  for (const entry of visible) {
    const path = join(folder, entry.name);
    const isFolder = entry.isSymbolicLink() ? (await stat(path)).isDirectory() : entry.isDirectory();
    if (isFolder) files.push(...(await filesBelow(path)));
    else files.push(path);
  }
  return files;
}

async function inputsOfFile(path: string): Promise<Input[]> {
  const file = await localFile(path);
  return /\.zip$/i.test(path) ? zipInputs(path, path, file.version) : [file];
}
