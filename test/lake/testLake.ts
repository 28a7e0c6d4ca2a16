import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  type Catalog,
  Compactor,
  type CompactorOptions,
  LocalStore,
  openCatalog,
  type Relations,
  type SegmentFacts,
  type SegmentStore,
  SegmentWriter,
} from "../../src/lake/mod.ts";
import { relationsOf } from "../../src/lake/reading/relations.ts";
import type { TypedColumn } from "../../src/lake/typed/columns.ts";
import { openDb } from "../../src/schema.ts";
import type { Db } from "../../src/store/mod.ts";
import type { EventRow, IdentityNode, LogRow } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { openFresh } from "../support/stores.ts";
import { tempFolder } from "./support.ts";

const MiB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const COMPACTION = {
  compactTargetBytes: MiB,
  compactFanout: 2,
  compactMs: 5,
  compactMemoryBytes: 512 * MiB,
  squashMs: HOUR_MS,
  eraseMs: HOUR_MS,
  backfillMs: 0,
  backfillBytesPerMinute: 0,
  compactPersonRows: true,
};

/** A folder with a real catalog and a writer that commits as a worker does. */
export class TestLake {
  private reader: DuckDBConnection | null = null;

  readonly writer: SegmentWriter;

  private constructor(
    private readonly folder: ReturnType<typeof tempFolder>,
    readonly db: Db,
    readonly catalog: Catalog,
    readonly storage: SegmentStore,
  ) {
    this.writer = new SegmentWriter({ storage, memoryLimitBytes: 512 << 20 });
  }

  /** `storeIn`: the store that has its work folder there. `databaseUrl`: SQLite in a folder when null. */
  static async open(
    storeIn = (directory: string): SegmentStore => new LocalStore(directory),
    databaseUrl: string | null = null,
  ): Promise<TestLake> {
    const folder = tempFolder();
    mkdirSync(join(folder.path, "lake"));
    const sqlitePath = join(folder.path, "weir.db");
    const db = databaseUrl === null ? await openFresh(sqlitePath) : await openDb({ databaseUrl, sqlitePath });
    const catalog = openCatalog(db);
    const streams = [{ lane: "live" as const, created: "2026-01-01T00:00:00Z" }];
    await catalog.openGeneration({ generation: 1, after: null, partitions: 1, streams, nowMs: 0 });
    const directory = join(folder.path, "lake");
    return new TestLake(folder, db, catalog, storeIn(directory));
  }

  get directory(): string {
    return join(this.folder.path, "lake");
  }

  get runDirectory(): string {
    return join(this.folder.path, "run");
  }

  /** A compactor of this lake, of small files; what `config` does not say is not due for an hour, or off. */
  compactor(config: Partial<CompactorOptions["config"]> = {}, parts: Partial<CompactorOptions> = {}): Compactor {
    return new Compactor({
      config: { ...COMPACTION, ...config },
      catalog: this.catalog,
      storage: this.storage,
      holder: "compactor",
      log: () => {},
      ...parts,
    });
  }

  /** Runs a compactor in a process of its own that dies in its first job, and lets its lease run out. */
  async dieCompacting(config: Partial<CompactorOptions["config"]>): Promise<void> {
    const args = [this.folder.path, crypto.randomUUID(), JSON.stringify({ ...COMPACTION, ...config })];
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "dyingCompactor.ts"), ...args]);
    await child.exited;
    if (child.signalCode !== "SIGKILL") throw new Error("it had nothing to die of");
    await this.endClaims();
  }

  /** The claims of all jobs run out, and somebody notices it. */
  async endClaims(): Promise<void> {
    await this.db.write((tx) => tx`update compaction_jobs set expires_at_ms = 0`);
    await this.catalog.collectable();
  }

  /** A job of somebody else, with these inputs. */
  async claimJob(inputs: readonly string[] = []): Promise<string> {
    const id = await this.catalog.claimJob({ holder: "test", kind: "events", inputs, beside: [], ttlMs: 60_000 });
    if (id === null) throw new Error("the files cannot be claimed");
    return id;
  }

  /** One flush of events: written, registered, committed. */
  async store(rows: EventRow[], columns: readonly TypedColumn[] = []): Promise<SegmentFacts> {
    const [facts] = await this.flush(rows, [], columns);
    return facts!;
  }

  /** One flush of events and of what is said of persons and groups; gives the segments. */
  async flush(events: EventRow[], log: LogRow[], columns: readonly TypedColumn[] = []): Promise<SegmentFacts[]> {
    const parts = {
      events: events.length === 0 ? [] : [{ id: crypto.randomUUID(), rows: events, columns }],
      log: log.length === 0 ? null : { id: crypto.randomUUID(), rows: log },
    };
    const ids = [...parts.events, parts.log].flatMap((part) => part?.id ?? []);
    const [claim] = await this.catalog.claim({ owner: "test", generation: 1, partitions: [0] });
    const epochs = [claim!.epoch];
    await this.catalog.registerPending({ ids, writer: "test", generation: 1, epochs });
    const written = await this.writer.writeFlush(parts, { generation: 1, level: 0, partitions: [0] });
    const segments = [...written.events, written.log].flatMap((part) => part?.facts ?? []);
    const identities = withSurvivors(log.filter((row) => row.kind === "identity"));
    const erasedThrough = (await this.catalog.waitingErasures(0))?.version ?? 0;
    await this.catalog.commit(commitOf({ epochs, segments, identities, erasedThrough }));
    return segments;
  }

  /** Asks the relations of a project, as they are now, on a DuckDB of the test's own; gives plain JSON values. */
  async ask(teamId: number, text: (relations: Relations) => string, params: string[] = []): Promise<unknown[][]> {
    const pinId = await this.catalog.holdFiles(60_000);
    const snapshot = await this.catalog.readSnapshot({ teamId, fromMs: null, toMs: null });
    this.reader ??= await openReader();
    const reader = await this.reader.runAndReadAll(text(relationsOf(snapshot, this.storage)), params);
    await this.catalog.unpin(pinId);
    return reader.getRowsJson();
  }

  async close(): Promise<void> {
    this.reader?.closeSync();
    await this.writer.close();
    await this.db.close();
    this.folder.dispose();
  }
}

async function openReader(): Promise<DuckDBConnection> {
  return (await DuckDBInstance.create(":memory:", { threads: "2" })).connect();
}

/** A test tells of nodes that were moved; a commit has their survivors too. */
function withSurvivors(nodes: readonly IdentityNode[]): IdentityNode[] {
  const told = new Set(nodes.map(({ personId }) => personId));
  const missing = new Map(
    nodes.filter(({ survivorId }) => !told.has(survivorId)).map((node) => [node.survivorId, node]),
  );
  const survivors = [...missing].map(([id, { teamId }]) => {
    return { teamId, personId: id, distinctId: id, survivorId: id, isIdentified: false, moves: [] };
  });
  return [...nodes, ...survivors];
}
