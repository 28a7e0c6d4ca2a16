import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { RetryableError } from "../../types/mod.ts";
import { type Catalog, concernsEvents, type Snapshot, type SnapshotSegment } from "../catalog/mod.ts";
import { BoundVariables, Engine, firstLineOf, isEnvironmentError, type Session, sqlString } from "../engine/mod.ts";
import { personFiles } from "../exporting/mod.ts";
import { relationsOf } from "../reading/mod.ts";
import { locationsOf, type SegmentStore, spillDirectory } from "../storage/mod.ts";
import { holdingFiles } from "../verify/mod.ts";

export interface PublisherOptions {
  catalog: Pick<Catalog, "holdFiles" | "renewPin" | "unpin" | "readSnapshot">;
  storage: SegmentStore;
  /** DuckDB's. */
  memoryLimitBytes: number;
}

/** A written file. */
export interface WrittenRows {
  path: string;
  rows: number;
  bytes: number;
  /** Of events: between which times they lie, epoch microseconds. */
  times: { min: bigint; max: bigint } | null;
}

/** Tables that are written as a whole. */
export type TableName = "persons" | "distinct_ids";

/** Columns of events that every file has, in the order of their numbers from 1. */
export const EVENT_COLUMNS = {
  uuid: "e.uuid::varchar",
  event: "e.event",
  distinct_id: "e.distinct_id",
  person_id: "e.person_id::varchar",
  timestamp: `e."timestamp"::timestamptz`,
  created_at: "e.created_at::timestamptz",
  elements_chain: "e.elements_chain",
  properties: "e.properties",
};

/** Columns of the tables of persons, in the order of their numbers from 1. */
export const PERSON_COLUMNS = {
  id: "id::varchar",
  created_at: "created_at::timestamptz",
  is_identified: "is_identified",
  properties: "properties",
};
export const DISTINCT_ID_COLUMNS = { distinct_id: "distinct_id", person_id: "person_id::varchar" };

/** The number of the column of a property is this and its place in the project's layout: both stay. */
export const FIRST_PROPERTY_NUMBER = 1000;

const SPILL_LIMIT_BYTES = 8 * 1024 ** 3;
/** Rows that are in memory before they are written. */
const ROW_GROUP_ROWS = 20_480;
const ROW_GROUP_BYTES = 16 * 1024 * 1024;

/** Writes what a project has to Parquet files whose columns are numbered, as tables of other engines want them. */
export class LakePublisher {
  constructor(private readonly options: PublisherOptions) {}

  /** Lends a view of one snapshot. Errors: what `signal` was aborted with; RetryableError `files_not_held`, `publish_failed` (memory, disk). */
  async read<T>(teamId: number, signal: AbortSignal, body: (view: PublishView) => Promise<T>): Promise<T> {
    const { catalog, storage, memoryLimitBytes } = this.options;
    const engine = new Engine({
      // Ingestion and queries go on beside it.
      threads: 1,
      memoryLimitBytes,
      tempDirectory: spillDirectory(storage.workDirectory),
      tempLimitBytes: SPILL_LIMIT_BYTES,
    });
    try {
      return await holdingFiles({ catalog, signal }, (held) =>
        engine.use(async (session) => {
          const stop = () => session.interrupt();
          held.addEventListener("abort", stop);
          try {
            await session.run("set preserve_insertion_order = false");
            const snapshot = await catalog.readSnapshot({ teamId, fromMs: null, toMs: null });
            return await body(new PublishView(session, snapshot, storage));
          } finally {
            held.removeEventListener("abort", stop);
          }
        }),
      );
    } catch (error) {
      if (!isEnvironmentError(error)) throw error;
      const problem = `the tables cannot be written: ${firstLineOf(error)}`;
      throw new RetryableError("publish_failed", problem, { cause: error });
    } finally {
      await engine.close();
    }
  }
}

/** A project at one version of the catalog. */
export class PublishView {
  readonly version: number;
  /** Changes with each merge. */
  readonly mergesVersion: number;
  /** Keys of properties that have a column, in the order of their numbers. */
  readonly keys: readonly string[];
  readonly segmentIds: readonly string[];
  private readonly segments: Map<string, SnapshotSegment>;

  constructor(
    private readonly session: Session,
    private readonly snapshot: Snapshot,
    private readonly storage: SegmentStore,
  ) {
    this.version = snapshot.version;
    this.mergesVersion = snapshot.mergesVersion;
    this.keys = snapshot.layout.toSorted((a, b) => a.id - b.id).map(({ key }) => key);
    this.segments = new Map(snapshot.segments.map((segment) => [segment.id, segment]));
    this.segmentIds = [...this.segments.keys()];
  }

  /** The version of the newest deletion that some file of events may still have rows of; 0 where there is none. */
  get erasedAt(): number {
    return Math.max(0, ...this.snapshot.erasures.filter(concernsEvents).map(({ version }) => version));
  }

  /** A text that differs as soon as a segment shows other events, or events of other persons. */
  async markOf(segmentId: string): Promise<string> {
    const { relations, hold } = this.ofSegment(segmentId);
    const events = relations.events({ persons: true, properties: false, keys: [] }, () => "");
    const [[mark] = []] = await hold(() =>
      this.session.run(
        `select concat(count(*), '-', coalesce(sum(hash(e.uuid, e.person_id)::hugeint), 0)) from ${events} e`,
      ),
    );
    return String(mark);
  }

  /** Writes the events of a segment as they are now, after all merges and deletions. */
  async writeEvents(segmentId: string, path: string): Promise<WrittenRows> {
    const { relations, hold } = this.ofSegment(segmentId);
    const bound = new BoundVariables("p");
    const keys = this.keys.map((key) => [key] as const);
    const events = relations.events({ persons: true, properties: true, keys }, (text) => bound.text(text));
    await bound.set(this.session);
    const own = Object.entries(EVENT_COLUMNS).map(([name, sql]) => `${sql} as "${name}"`);
    const read = this.keys.map((_, i) => `e.k${i} as p${i}`);
    const numbers = [
      ...Object.keys(EVENT_COLUMNS).map((name, i) => `"${name}": ${i + 1}`),
      ...this.keys.map((_, i) => `p${i}: ${FIRST_PROPERTY_NUMBER + i}`),
    ];
    await hold(() => this.copy(`select ${[...own, ...read].join(", ")} from ${events} e`, numbers, path));
    const [[rows, min, max] = []] = await this.session.run(
      `select count(*), epoch_us(min("timestamp")), epoch_us(max("timestamp")) from read_parquet(${sqlString(path)})`,
    );
    const times = min == null || max == null ? null : { min: BigInt(String(min)), max: BigInt(String(max)) };
    return { path, rows: Number(rows), bytes: (await lstat(path)).size, times };
  }

  /** Writes a table, in files of persons that fit into memory together. */
  async writeTable(name: TableName, folder: string): Promise<WrittenRows[]> {
    const relations = relationsOf(this.snapshot, this.storage);
    const { segments, logs, roster } = this.snapshot;
    const files = locationsOf(this.storage, [...segments, ...logs, ...(roster === null ? [] : [roster])]);
    await mkdir(folder, { recursive: true });
    return this.storage.hold(files, async () => {
      if (name === "distinct_ids") {
        const path = join(folder, "distinct_ids.parquet");
        const rows = await this.copyColumns(DISTINCT_ID_COLUMNS, relations.distinctIds(), path);
        return rows.rows === 0 ? [] : [rows];
      }
      const aside = join(folder, "aside");
      await mkdir(aside, { recursive: true });
      const select = `select id from ${relations.persons({ properties: false })}`;
      const written: WrittenRows[] = [];
      for (const [i, piece] of (await personFiles(this.session, relations, select, aside)).entries()) {
        const path = join(folder, `persons-${i}.parquet`);
        written.push(await this.copyColumns(PERSON_COLUMNS, `read_parquet(${sqlString(piece)})`, path));
        await rm(piece);
      }
      return written;
    });
  }

  private ofSegment(id: string) {
    const segment = this.segments.get(id);
    if (segment === undefined) throw new Error(`no segment ${id} in the snapshot`);
    const { storage, snapshot } = this;
    const files = locationsOf(storage, [segment, ...snapshot.logs]);
    return {
      relations: relationsOf({ ...snapshot, segments: [segment] }, storage),
      hold: <T>(body: () => Promise<T>) => storage.hold(files, body),
    };
  }

  private async copyColumns(
    columns: Readonly<Record<string, string>>,
    from: string,
    path: string,
  ): Promise<WrittenRows> {
    const named = Object.entries(columns).map(([name, sql]) => `${sql} as "${name}"`);
    const numbers = Object.keys(columns).map((name, i) => `"${name}": ${i + 1}`);
    await this.copy(`select ${named.join(", ")} from ${from}`, numbers, path);
    const [[rows] = []] = await this.session.run(`select count(*) from read_parquet(${sqlString(path)})`);
    return { path, rows: Number(rows), bytes: (await lstat(path)).size, times: null };
  }

  private async copy(select: string, numbers: readonly string[], path: string): Promise<void> {
    await this.session.run(`copy (${select}) to ${sqlString(path)} (format parquet, compression zstd,
      row_group_size ${ROW_GROUP_ROWS}, row_group_size_bytes ${ROW_GROUP_BYTES}, field_ids {${numbers.join(", ")}})`);
  }
}
