import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { TerminalError } from "../../types/mod.ts";
import type { Catalog, Snapshot } from "../catalog/mod.ts";
import { BoundVariables, Engine, type Session, type SqlValue, sqlString } from "../engine/mod.ts";
import { type Relations, relationsOf } from "../reading/mod.ts";
import { locationsOf, type SegmentStore, spillDirectory } from "../storage/mod.ts";
import { holdingFiles } from "../verify/mod.ts";
import type { WalkStatement } from "../walking/mod.ts";
import { CreatedTimes } from "./createdTimes.ts";
import { type EventsWish, eventRows, isWanted } from "./eventRows.ts";
import { checkForm, type FileForm } from "./form.ts";
import { LineParts } from "./lineParts.ts";
import { ParquetParts } from "./parquetParts.ts";
import type { RowsWriter, WrittenPart } from "./parts.ts";
import { personTable } from "./personFiles.ts";
import { personRows, personsAsked } from "./personRows.ts";
import { type RowsText, selectRows, statementRows } from "./rowsText.ts";

/** What is exported. Times are those of acceptance, epoch milliseconds; the end is not part of it; null: from the beginning. */
export type ExportSource =
  | ({ model: "events" } & EventsWish)
  | ({ model: "persons" } & Pick<EventsWish, "fromMs" | "toMs">)
  | ({ model: "statement" } & ExportStatement);

/** A statement over the relations; its columns have the names given. */
export interface ExportStatement {
  /** As of `LakeQuery`. */
  range: { fromMs: number | null; toMs: number | null };
  sql(relations: Relations): { text: string; params: SqlValue[]; walks?: WalkStatement[] };
  columns: readonly string[];
}

export interface ExportWish {
  teamId: number;
  source: ExportSource;
  form: FileForm;
  /** An empty folder of this export alone, below `scratch`; removed at the end. */
  folder: string;
  signal: AbortSignal;
}

interface ExporterOptions {
  catalog: Pick<Catalog, "holdFiles" | "renewPin" | "unpin" | "readSnapshot">;
  storage: SegmentStore;
  /** DuckDB's, of all exports of this process together. */
  memoryLimitBytes: number;
  spillLimitBytes: number;
  /** The folder below which each export has its own. */
  scratch: string;
  /** Rows of events that are read by one statement, but for a larger file; 500,000 where it is absent. */
  rowsAtOnce?: number;
}

/** Rows of events that are read by one statement: their persons are in memory then. */
const ROWS_AT_ONCE = 500_000;
/** Of files that are put together into one afterwards: packed with little work. */
const PIECE_FORM: FileForm = { format: "Parquet", compression: "lz4", maxPartBytes: null };
/** Writes the rows of a project to files, from one snapshot. Its memory does not grow with their number. */
export class LakeExporter {
  private readonly engine: Engine;
  private readonly created: CreatedTimes;

  constructor(private readonly options: ExporterOptions) {
    this.engine = new Engine({
      // Ingestion and queries go on beside it.
      threads: 1,
      memoryLimitBytes: options.memoryLimitBytes,
      tempDirectory: spillDirectory(options.storage.workDirectory),
      tempLimitBytes: options.spillLimitBytes,
    });
    this.created = new CreatedTimes(options.storage);
  }

  /**
   * Lends each file to `take`, one after the other, and removes it then; gives the number of rows. Errors: what `signal` was aborted
   * with; RetryableError `files_not_held`; TerminalError `invalid_config`, `not_exportable`; DuckDB's own.
   */
  async write(wish: ExportWish, take: (part: WrittenPart) => Promise<void>): Promise<number> {
    checkForm(wish.form);
    const { catalog, storage } = this.options;
    await mkdir(wish.folder, { recursive: true });
    const options = { catalog, storage, memoryLimitBytes: 0, signal: wish.signal };
    const writer =
      wish.form.format === "Parquet" ? new ParquetParts(wish.folder, wish.form) : new LineParts(wish.folder, wish.form);
    let records = 0;
    const hand = async (parts: AsyncGenerator<WrittenPart>, signal: AbortSignal) => {
      for await (const part of parts) {
        signal.throwIfAborted();
        records += part.records;
        await take(part);
        await rm(part.path, { force: true });
      }
    };
    try {
      await holdingFiles(options, (signal) =>
        this.interruptible(signal, async (session) => {
          await this.writeSource(session, wish, { writer, signal, hand });
          await hand(writer.finish(), signal);
        }),
      );
      return records;
    } finally {
      await writer.close();
      await rm(wish.folder, { recursive: true, force: true });
    }
  }

  /** The times of the events that were accepted in the interval, both included; null where there are none. */
  async timesOf(
    teamId: number,
    interval: Pick<EventsWish, "fromMs" | "toMs">,
  ): Promise<{ firstMs: number; lastMs: number } | null> {
    const { catalog, storage } = this.options;
    const stays = new AbortController().signal;
    let found: { firstMs: number; lastMs: number } | null = null;
    await holdingFiles({ catalog }, () =>
      this.interruptible(stays, async (session) => {
        const snapshot = await catalog.readSnapshot({ teamId, fromMs: null, toMs: null });
        const segments = await this.created.within(session, snapshot.segments, interval);
        const relations = relationsOf({ ...snapshot, segments }, storage);
        const events = relations.events({ persons: false, properties: false, keys: [] }, () => "");
        const [[first, last] = []] = await session.run(
          `select epoch_ms(min(e."timestamp")), epoch_ms(max(e."timestamp")) from ${events} e
           where ${isWanted({ ...interval, include: [], exclude: [] }, () => "")}`,
        );
        if (first != null && last != null) found = { firstMs: Number(first), lastMs: Number(last) };
      }),
    );
    return found;
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  /** Runs `body` with a session whose statement ends when the signal is aborted. */
  private interruptible(signal: AbortSignal, body: (session: Session) => Promise<void>): Promise<void> {
    return this.engine.use(async (session) => {
      const stop = () => session.interrupt();
      signal.addEventListener("abort", stop);
      try {
        signal.throwIfAborted();
        await this.confine(session);
        await body(session);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    });
  }

  /** The engine opens no file but those of the lake and the exporter's own. */
  private async confine(session: Session): Promise<void> {
    const [[isOpen] = []] = await session.run("select current_setting('enable_external_access')");
    if (isOpen !== true) return;
    const { storage, scratch } = this.options;
    const folders = [storage.workDirectory, storage.directory, scratch].map((folder) => sqlString(`${folder}/`));
    await session.run("set global preserve_insertion_order = false");
    // A thread that has nothing to do gives freed memory back, too.
    await session.run("set global allocator_background_threads = true");
    // Each file is read once, from front to back.
    await session.run("set global enable_external_file_cache = false");
    await session.run(`set allowed_directories = [${folders.join(", ")}]`);
    await session.run("set enable_external_access = false");
    await session.run("set lock_configuration = true");
  }

  private async writeSource(session: Session, wish: ExportWish, out: Output): Promise<void> {
    const { source, teamId } = wish;
    const { catalog } = this.options;
    const range = source.model === "statement" ? source.range : { fromMs: null, toMs: null };
    const snapshot = await catalog.readSnapshot({ teamId, ...range });
    if (source.model === "events") return this.writeEvents(session, snapshot, { ...wish, source }, out);
    const relations = relationsOf(snapshot, this.options.storage);
    if (source.model === "persons") {
      const files = locationsOf(this.options.storage, [...snapshot.segments, ...snapshot.logs]);
      const persons = await this.options.storage.hold(files, () =>
        personTable(session, relations, personsAsked(relations, source), wish.folder),
      );
      const rows = personRows(relations, teamId, persons);
      return this.writeRows(session, snapshot, { rows, params: [], form: wish.form }, out);
    }
    const { text, params, walks = [] } = source.sql(relations);
    if (walks.length > 0) {
      throw new TerminalError("not_exportable", "The query walks through events in order, which an export cannot do.");
    }
    const rows = statementRows(text, source.columns);
    return this.writeRows(session, snapshot, { rows, params, form: wish.form }, out);
  }

  private async writeEvents(
    session: Session,
    snapshot: Snapshot,
    wish: ExportWish & { source: EventsWish },
    out: Output,
  ): Promise<void> {
    const { source, form, folder } = wish;
    const { storage } = this.options;
    const segments = await this.created.within(session, snapshot.segments, source);
    if (segments.length === 0) return;
    const variables = new BoundVariables();
    const condition = isWanted(source, (list) => variables.list(list));
    await variables.set(session);
    const relations = relationsOf({ ...snapshot, segments }, storage);
    const events = relations.events({ persons: true, properties: false, keys: [] }, () => "");
    const select = `select distinct e.person_id as id from ${events} e where ${condition}`;
    const persons = await storage.hold(locationsOf(storage, [...segments, ...snapshot.logs]), () =>
      personTable(session, relations, select, folder),
    );
    await session.run("drop table wanted");
    const pieces = inPieces(segments, this.options.rowsAtOnce ?? ROWS_AT_ONCE);
    const isOneFile = form.format === "Parquet" && form.maxPartBytes === null && pieces.length > 1;
    const written: string[] = [];
    const aside = join(folder, "pieces");
    if (isOneFile) await mkdir(aside);
    const to: Output = isOneFile ? { ...out, ...keeping(written, new ParquetParts(aside, PIECE_FORM)) } : out;
    for (const piece of pieces) {
      const part = { ...snapshot, segments: [...piece] };
      const bound = new BoundVariables("k");
      const ofPiece = relationsOf(part, storage);
      const found = ofPiece.events({ persons: true, properties: false, keys: [] }, () => "");
      const theirs = await this.personsOf(
        session,
        `select distinct e.person_id as id from ${found} e where ${condition}`,
        persons,
      );
      const rows = eventRows(ofPiece, { condition, persons: theirs, parameter: (text) => bound.text(text) });
      await bound.set(session);
      await this.writeRows(session, part, { rows, params: [], form }, to);
    }
    if (!isOneFile) return;
    out.signal.throwIfAborted();
    const all = `select * from read_parquet([${written.map(sqlString).join(", ")}])`;
    await out.hand(out.writer.write(session, { text: all, params: [] }), out.signal);
    await rm(aside, { recursive: true });
  }

  /** The text of a table of those of the persons whose ids a SELECT gives, so that no others are in memory. */
  private async personsOf(session: Session, ids: string, persons: string): Promise<string> {
    await session.run(`create or replace temp table here as ${ids}`);
    return `(select * from ${persons} where id in (select id from here))`;
  }

  private async writeRows(
    session: Session,
    { segments, logs, roster }: Snapshot,
    { rows, params, form }: { rows: RowsText; params: readonly SqlValue[]; form: FileForm },
    { writer, signal, hand }: Output,
  ): Promise<void> {
    signal.throwIfAborted();
    const { storage } = this.options;
    const files = locationsOf(storage, [...segments, ...logs, ...(roster === null ? [] : [roster])]);
    await storage.hold(files, () => hand(writer.write(session, { text: selectRows(rows, form), params }), signal));
  }
}

interface Output {
  writer: RowsWriter;
  signal: AbortSignal;
  hand(parts: AsyncGenerator<WrittenPart>, signal: AbortSignal): Promise<void>;
}

/** Writes files that stay where they are, and notes them. */
function keeping(paths: string[], writer: RowsWriter): Pick<Output, "writer" | "hand"> {
  return {
    writer,
    async hand(parts, signal) {
      for await (const { path } of parts) {
        signal.throwIfAborted();
        paths.push(path);
      }
    },
  };
}

/** Files in pieces of so many rows at most, or of one file. */
function inPieces<F extends { rowCount: number }>(files: readonly F[], rowsAtOnce: number): F[][] {
  const pieces: F[][] = [];
  let rows = 0;
  for (const file of files) {
    const last = pieces.at(-1);
    if (last === undefined || rows + file.rowCount > rowsAtOnce) {
      pieces.push([file]);
      rows = 0;
    } else last.push(file);
    rows += file.rowCount;
  }
  return pieces;
}
