import { readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BucketOptions } from "../../bucket/mod.ts";
import { UsageError } from "../../types/mod.ts";
import type { Input } from "./input.ts";
import { localFile } from "./localFile.ts";
import { s3Inputs } from "./s3.ts";
import { zipInputs } from "./zip.ts";

/**
 * All files behind words: files, folders with everything in them, `s3://bucket/prefix`; the entries of zips in place of these. In the
 * order of the words, those of a folder by name. A file comes once, however often words and links lead to it. Throws UsageError for
 * one that is not there, and TerminalError.
 */
export async function inputsOf(words: readonly string[], s3: BucketOptions): Promise<Input[]> {
  const found: Input[] = [];
  const known = new Set<string>();
  for (const word of words) {
    if (word.startsWith("s3://")) {
      const inputs = (await s3Inputs(word, s3)).filter(({ name }) => !known.has(name));
      for (const { name } of inputs) known.add(name);
      found.push(...inputs);
      continue;
    }
    for (const path of await filesAt(resolve(word), word, known)) found.push(...(await inputsOfFile(path)));
  }
  return found;
}

/** The file, or those below the folder, without the known ones; `known`: where files and folders really are. */
async function filesAt(path: string, shown: string, known: Set<string>): Promise<string[]> {
  const place = await realpath(path).catch(() => null);
  if (place === null) throw new UsageError(`There is no file or folder ${shown}.`);
  if (known.has(place)) return [];
  known.add(place);
  if (!(await stat(place)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => !name.startsWith(".")).sort((a, b) => (a < b ? -1 : 1));
  const files: string[] = [];
  for (const name of names) files.push(...(await filesAt(join(path, name), join(shown, name), known)));
  return files;
}

async function inputsOfFile(path: string): Promise<Input[]> {
  const file = await localFile(path);
  return /\.zip$/i.test(path) ? zipInputs(path, path, file.version) : [file];
}
