import { isOutOfMemory, type RunOptions, type StoppableEngine, sqlString } from "../engine/mod.ts";
import type { SegmentStore } from "../storage/mod.ts";
import { ScratchFiles } from "./scratchFiles.ts";

/** Rows that become one file. */
interface Sorted {
  /** The project that they are of; null where small ones share. */
  teamId: number | null;
  /** SQL text of a SELECT without an order, and what it reads. */
  text: string;
  read: RunOptions;
  /** By what: SQL texts on its columns. */
  order: readonly [column: string, direction: "asc" | "desc"][];
  rows: number;
  rowGroupRows: number;
  path: string;
  /** Of the COPY, beside those that all have. */
  options: string;
}

/** So many parts; where these are too large, each is divided by it again. */
const PARTS = 4;
const PARTS_MAX = 64;
/** Fewer rows that were too many are some of unusual size: they say nothing of others. */
const TELLING_ROWS = 20_000;

/**
 * Sorts rows into a file. Where they are too many for the memory it sorts parts of them that follow each other, and joins these: the engine
 * runs out of memory with rows of a few kilobytes, though its sort can go to disk.
 */
export class SortedWriter {
  /** Of each project the fewest rows that were too many at once. */
  private readonly tooMany = new Map<number | null, number>();

  constructor(
    private readonly store: SegmentStore,
    private readonly engine: StoppableEngine,
    private readonly log: (message: string) => void,
  ) {}

  /** Writes the file. Errors are DuckDB's own. */
  async write(sorted: Sorted): Promise<void> {
    const { teamId, rows } = sorted;
    const tooMany = this.tooMany.get(teamId) ?? Number.POSITIVE_INFINITY;
    for (let parts = rows < tooMany ? 1 : PARTS; ; parts *= PARTS) {
      try {
        if (parts === 1) return await this.copy(sorted, { ...sorted.read, text: inOrder(sorted) });
        return await this.inParts(sorted, parts);
      } catch (error) {
        if (!isOutOfMemory(error) || parts >= PARTS_MAX) throw error;
        if (parts > 1) continue;
        const whose = teamId === null ? "small projects" : `project ${teamId}`;
        this.log(`sorting ${rows} rows of ${whose} at once needs more memory; it is done in parts`);
        if (rows >= TELLING_ROWS) this.tooMany.set(teamId, rows);
      }
    }
  }

  private async copy(sorted: Sorted, { text, ...read }: RunOptions & { text: string }): Promise<void> {
    const { path, rowGroupRows, options } = sorted;
    const all = `format parquet, compression zstd, row_group_size ${rowGroupRows}, use_tmp_file false, ${options}`;
    await this.engine.run(`copy (${text}) to ${sqlString(path)} (${all})`, read);
  }

  private async inParts(sorted: Sorted, parts: number): Promise<void> {
    const { text, read, order } = sorted;
    const params = read.params ?? [];
    const place = (at: number) => `from_hex($${params.length + at}::varchar)`;
    const isIn = `${sortKey(order)} > ${place(1)} and ${sortKey(order)} <= ${place(2)}`;
    const scratch = new ScratchFiles(this.store, this.engine, sorted.rowGroupRows);
    try {
      let after = "";
      for (const upTo of await this.endsOf(sorted, parts)) {
        const part = inOrder({ text: `select * from (${text}) where ${isIn}`, order });
        await scratch.write(part, { ...read, params: [...params, after, upTo] });
        after = upTo;
      }
      const files = scratch.paths.map(sqlString).join(", ");
      await this.copy(sorted, { variables: read.variables ?? {}, text: `select * from read_parquet([${files}])` });
    } finally {
      await scratch.remove();
    }
  }

  /** The sort keys of the last rows of the parts, in order, as hexadecimal digits. */
  private async endsOf({ text, read, order, rows }: Sorted, parts: number): Promise<string[]> {
    const step = Math.max(1, Math.ceil(rows / parts));
    const placed = `select key, row_number() over (order by key) as n, count(*) over () as total
      from (select ${sortKey(order)} as key from (${text}))`;
    const found = await this.engine.run(
      `select distinct hex(key) as last from (${placed}) where n % ${step} = 0 or n = total order by last`,
      read,
    );
    return found.map(([last]) => String(last));
  }
}

function inOrder({ text, order }: Pick<Sorted, "text" | "order">): string {
  return `select * from (${text}) order by ${order.map(([column, direction]) => `${column} ${direction}`).join(", ")}`;
}

/** SQL text of bytes that compare as the order does. */
function sortKey(order: Sorted["order"]): string {
  return `create_sort_key(${order.map(([column, direction]) => `${column}, '${direction} nulls last'`).join(", ")})`;
}
