import { rm } from "node:fs/promises";
import { type RunOptions, type StoppableEngine, sqlString } from "../engine/mod.ts";
import { draftPath, type SegmentStore } from "../storage/mod.ts";

/** Rows of a job that are written before its output, and read again for it. */
export class ScratchFiles {
  readonly paths: string[] = [];

  constructor(
    private readonly store: SegmentStore,
    private readonly engine: StoppableEngine,
    private readonly rowGroupRows: number,
  ) {}

  /** Writes the rows of a SELECT, in its order; gives the path. */
  async write(text: string, read: RunOptions): Promise<string> {
    const path = draftPath(this.store.workDirectory, { id: crypto.randomUUID(), part: "rows" });
    this.paths.push(path);
    await this.engine.run(
      `copy (${text}) to ${sqlString(path)}
       (format parquet, compression zstd, compression_level 1, row_group_size ${this.rowGroupRows}, use_tmp_file false)`,
      read,
    );
    return path;
  }

  async remove(): Promise<void> {
    for (const path of this.paths) await rm(path, { force: true });
  }
}
