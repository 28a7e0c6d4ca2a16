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
  /** Of the COPY. */
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
        this.log(
          `sorting ${rows} rows of ${teamId ?? "small projects"} at once needs more memory; it is done in parts`,
        );
        if (rows >= TELLING_ROWS) this.tooMany.set(teamId, rows);
      }
    }
  }

  private async copy({ path, options }: Sorted, { text, ...read }: RunOptions & { text: string }): Promise<void> {
    await this.engine.run(`copy (${text}) to ${sqlString(path)} (${options})`, read);
  }

  private async inParts(sorted: Sorted, parts: number): Promise<void> {
    const { text, read, rowGroupRows } = sorted;
    const key = sortKey(sorted.order);
    const params = read.params ?? [];
    const place = (at: number) => `from_hex($${params.length + at}::varchar)`;
    const bounds = await this.boundsOf(sorted, parts);
    const scratch = new ScratchFiles(this.store, this.engine, rowGroupRows);
    try {
      for (let i = 0; i <= bounds.length; i++) {
        const [after, upTo] = [bounds[i - 1], bounds[i]].map((bound) => (bound === undefined ? [] : [bound]));
        const conditions = [
          ...after!.map(() => `${key} > ${place(1)}`),
          ...upTo!.map(() => `${key} <= ${place(after!.length + 1)}`),
        ];
        const part = { ...sorted, text: `select * from (${text}) where ${conditions.join(" and ")}` };
        await scratch.write(inOrder(part), { ...read, params: [...params, ...after!, ...upTo!] });
      }
      const files = scratch.paths.map(sqlString).join(", ");
      await this.copy(sorted, { variables: read.variables ?? {}, text: `select * from read_parquet([${files}])` });
    } finally {
      await scratch.remove();
    }
  }

  /** The places in the order where a part ends, but for the last. */
  private async boundsOf({ text, read, order, rows }: Sorted, parts: number): Promise<string[]> {
    const step = Math.max(1, Math.ceil(rows / parts));
    const placed = `select key, row_number() over (order by key) as n from (select ${sortKey(order)} as key from (${text}))`;
    const found = await this.engine.run(
      `select distinct hex(key) as bound from (${placed}) where n % ${step} = 0 order by bound`,
      read,
    );
    return found.map(([bound]) => String(bound));
  }
}

function inOrder({ text, order }: Pick<Sorted, "text" | "order">): string {
  return `select * from (${text}) order by ${order.map(([column, direction]) => `${column} ${direction}`).join(", ")}`;
}

/** SQL text of bytes that compare as the order does. */
function sortKey(order: Sorted["order"]): string {
  return `create_sort_key(${order.map(([column, direction]) => `${column}, '${direction} nulls last'`).join(", ")})`;
}
