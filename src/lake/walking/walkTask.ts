import { type FoundColumn, type Known, type Part, type Program, rowsOf, type Slice } from "../../walk/mod.ts";
import type { Directory } from "./directory.ts";
import { FileUnreadable } from "./fileUnreadable.ts";
import { JourneySource } from "./journeySource.ts";
import { type MappedJourney, viewed } from "./mappedJourney.ts";
import type { Told } from "./marks.ts";
import type { OpenFiles } from "./openFiles.ts";
import { OrderedRows } from "./orderedRows.ts";
import type { Cut } from "./ranges.ts";

/** A walk as another thread takes part in it: a message, of which all that is large is shared. */
export interface WalkTask {
  program: Program;
  known: Known;
  cut: Cut;
  /** That of `Ranges`. */
  state: Int32Array;
  files: { journey: MappedJourney; told: Told; directory: Directory | null }[];
  /** The files that stay open for other walks. */
  kept: string[];
  /** The rows of other files, in order of code; null where there are none. */
  others: Slice | null;
}

export interface ToThread {
  id: number;
  /** The thread's own, among those that may join. */
  thread: number;
  task: WalkTask;
}

export type FromThread =
  /** The columns of a `Found`, now the receiver's. */
  | { kind: "found"; id: number; rowCount: number; columns: FoundColumn["values"][] }
  | { kind: "done"; id: number; finished: Finished }
  /** `location`: of the file that cannot be read, where it is that. */
  | { kind: "failed"; id: number; message: string; location: string | null };

/** What a thread has of its ranges, beside what it gave. */
export interface Finished {
  part: Part;
  /** As that of `Gathered`. */
  tied: number[];
}

/** Throws FileUnreadable. */
export function sourcesOf(
  { program, files, kept, others }: WalkTask,
  open: OpenFiles<ArrayBuffer>,
): (JourneySource | OrderedRows)[] {
  open.keep(kept);
  const sources = files.map(({ journey, told, directory }) => {
    try {
      return new JourneySource(viewed(journey, open.get(journey.location)), told, directory);
    } catch (error) {
      throw new FileUnreadable(journey.location, error);
    }
  });
  return [...sources, ...(others === null ? [] : [new OrderedRows(rowsOf(program), others)])];
}
