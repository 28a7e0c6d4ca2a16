import { open } from "node:fs/promises";
import { CutOff } from "./download.ts";

const TAIL_BYTES = 1 << 20;
/** Trimming and half a character at the front make a tail at most so much shorter. */
const LONGEST_CUT_BYTES = 1 << 10;
const END_OF_ZIP = Buffer.from("504b0506", "hex");
const END_OF_ZIP_BYTES = 22;

/** Throws CutOff where the last line of a file is no JSON object: the answer ended within it, or says that it did. */
export async function checkLines(path: string): Promise<void> {
  const tail = (await tailOf(path)).toString("utf8").trimEnd();
  if (tail === "") return;
  const last = tail.slice(tail.lastIndexOf("\n") + 1);
  // Of a line that is longer than the tail only the end can be looked at.
  const isWhole = last.length < tail.length || tail.length < TAIL_BYTES - LONGEST_CUT_BYTES;
  if (!last.endsWith("}") || (isWhole && !isJson(last))) {
    throw new CutOff(`The answer ends with ${JSON.stringify(last.slice(-60))}.`);
  }
}

/** Throws CutOff where a zip has no end. */
export async function checkZip(path: string): Promise<void> {
  const at = (await tailOf(path)).lastIndexOf(END_OF_ZIP);
  if (at === -1) throw new CutOff("The answer is no whole zip.");
}

/** A zip without files. */
export const EMPTY_ZIP = Buffer.concat([END_OF_ZIP, Buffer.alloc(END_OF_ZIP_BYTES - END_OF_ZIP.length)]);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function tailOf(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const tail = Buffer.alloc(length);
    await file.read(tail, 0, length, size - length);
    return tail;
  } finally {
    await file.close();
  }
}
