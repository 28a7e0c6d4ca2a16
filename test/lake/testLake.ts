import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Catalog, openCatalog, type SegmentFacts, SegmentWriter } from "../../src/lake/mod.ts";
import { type Db, openDb } from "../../src/metadata/mod.ts";
import type { EventRow } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { tempFolder } from "./support.ts";

/** A folder with a real catalog and a writer that commits as a worker does. */
export class TestLake {
  private constructor(
    private readonly folder: ReturnType<typeof tempFolder>,
    readonly db: Db,
    readonly catalog: Catalog,
    readonly writer: SegmentWriter,
  ) {}

  static async open(): Promise<TestLake> {
    const folder = tempFolder();
    mkdirSync(join(folder.path, "lake"));
    const db = await openDb({ databaseUrl: null, sqlitePath: join(folder.path, "weir.db") });
    const catalog = openCatalog(db);
    const streams = [{ lane: "live" as const, created: "2026-01-01T00:00:00Z" }];
    await catalog.openGeneration({ generation: 1, partitions: 1, streams, nowMs: 0 });
    const directory = join(folder.path, "lake");
    return new TestLake(folder, db, catalog, new SegmentWriter({ directory, memoryLimitBytes: 512 << 20, threads: 2 }));
  }

  get directory(): string {
    return join(this.folder.path, "lake");
  }

  get runDirectory(): string {
    return join(this.folder.path, "run");
  }

  /** One flush: written, registered, committed. */
  async store(rows: EventRow[]): Promise<SegmentFacts> {
    const id = crypto.randomUUID();
    const [claim] = await this.catalog.claim({ owner: "test", generation: 1, partitions: [0] });
    const epochs = [claim!.epoch];
    await this.catalog.registerPending({ ids: [id], writer: "test", generation: 1, epochs });
    const { facts } = await this.writer.write(id, rows, { generation: 1, level: 0, partitions: [0] });
    await this.catalog.commit(commitOf({ id, epochs, segments: [facts!] }));
    return facts!;
  }

  async close(): Promise<void> {
    await this.writer.close();
    await this.db.close();
    this.folder.dispose();
  }
}
