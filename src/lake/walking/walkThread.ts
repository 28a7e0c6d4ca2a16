/// <reference lib="webworker" />
import { describeError } from "../../types/mod.ts";
import { type Found, rowsOf, walkerOf } from "../../walk/mod.ts";
import { FileUnreadable } from "./fileUnreadable.ts";
import { Gathered } from "./gathered.ts";
import { OpenFiles } from "./openFiles.ts";
import { Ranges } from "./ranges.ts";
import { type Finished, type FromThread, sourcesOf, type ToThread, type WalkTask } from "./walkTask.ts";

// A thread that takes part in walks, one at a time. It knows nothing of DuckDB, and keeps nothing but mapped files between two walks.

/** Errors are the system's. */
const open = new OpenFiles((location) => Bun.mmap(location).buffer);

const send = (message: FromThread, moved: Transferable[] = []) => self.postMessage(message, moved);

self.onmessage = ({ data: { id, thread, task } }: MessageEvent<ToThread>) => {
  const ranges = new Ranges(task.cut, task.state);
  if (!ranges.join(thread)) return;
  try {
    const finished = walked(task, ranges, (found) => sendFound(id, found));
    send({ kind: "done", id, finished }, buffersOf(finished.part));
  } catch (error) {
    const [cause, location] = error instanceof FileUnreadable ? [error.cause, error.location] : [error, null];
    send({ kind: "failed", id, message: describeError(cause), location });
  }
};

function walked(task: WalkTask, ranges: Ranges, give: (found: Found) => void): Finished {
  const sources = sourcesOf(task, open);
  const walker = walkerOf(task.program, give, task.known);
  const gathered = new Gathered(rowsOf(task.program));
  for (let range = ranges.take(); range !== null; range = ranges.take()) {
    for (const source of sources) source.gather(range);
    walker.take(gathered.slice(sources, range));
  }
  return { part: walker.part(), tied: gathered.tied };
}

function sendFound(id: number, { rowCount, columns }: Found): void {
  const own = columns.map(({ values }) => values.slice(0, rowCount));
  send({ kind: "found", id, rowCount, columns: own }, buffersOf(own));
}

const buffersOf = (arrays: readonly ArrayBufferView[]): ArrayBuffer[] => [
  ...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer)),
];
