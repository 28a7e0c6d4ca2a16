import { describeError, isJsonObject, TerminalError } from "../../types/mod.ts";
import { stringifyExact } from "../exact.ts";
import type { Row } from "../reading/mod.ts";
import { type Batch, type Pressure, Sender, type WeirClient } from "../sending/mod.ts";
import type { ImportedEvent, ImportedPerson, RejectReason } from "../types.ts";
import { RowRejected } from "../types.ts";
import { type Counts, countLeftOut, countReject, keepExample, noCounts } from "./counts.ts";
import type { FrontRules } from "./frontRules.ts";
import { dayOfMs, marked } from "./judge.ts";
import { RECORD_BYTES, writeRecord } from "./record.ts";
import type { Rows } from "./walk.ts";

/** Rows whose rejects are written together, at most. */
const NOTE_ROWS = 10_000;
const PERSONS_A_BATCH = 500;
/** Of a raw row that is kept with a reject. */
const RAW_MAX_UNITS = 1_000_000;

/** Where an event or a person comes from. */
interface Origin {
  rows: Rows;
  row: Row;
}

interface SentEvent extends Origin {
  /** As it is noted; the event itself is not kept until it is taken. */
  record: Buffer;
  isRefused: boolean;
}

/** What is written down once a batch is taken. */
export interface Note {
  counts: Counts;
  /** Lines of `rejects.jsonl`. */
  rejects: string[];
  persons: (Origin & { person: ImportedPerson })[];
  /** How many rows, or firsts, are done with this batch. */
  done: number;
}

/** Of a batch: its events as they are noted. */
const recordsOf = (events: readonly SentEvent[]): Buffer =>
  Buffer.concat(events.filter(({ isRefused }) => !isRefused).map(({ record }) => record));

function recordOf(event: ImportedEvent, day: number, isMade: boolean): Buffer {
  const record = Buffer.allocUnsafe(RECORD_BYTES);
  writeRecord(record, 0, { day, event, isMade });
  return record;
}

export interface PacketOptions {
  importId: string;
  weir: WeirClient;
  token: string;
  isPacked: boolean;
  rules: FrontRules;
  pressure: Pressure;
  /** Whether its events are made ones. */
  isMade: boolean;
  onTaken(records: Buffer, note: Note): void;
}

/** Puts events and persons into batches, and sends these. */
export class Packet {
  private readonly sender: Sender<SentEvent, Note>;
  private batch = emptyBatch();

  constructor(private readonly o: PacketOptions) {
    this.sender = new Sender({
      weir: o.weir,
      token: o.token,
      isPacked: o.isPacked,
      pressure: o.pressure,
      before: (batch) => this.sendPersons(batch.note),
      onTaken: ({ events, note }) => o.onTaken(recordsOf(events), note),
      onRefused: (sent, reason, { note }) => {
        sent.isRefused = true;
        note.counts[o.isMade ? "made" : "sent"]--;
        this.note(note, sent, new RowRejected("refused", reason));
      },
    });
  }

  /** An event that the Weir does not take is a reject. */
  event(origin: Origin, event: ImportedEvent, atMs: number): void {
    const json = stringifyExact(marked(event, this.o.importId));
    try {
      this.o.rules.check(json);
    } catch (rejected) {
      if (!(rejected instanceof RowRejected)) throw rejected;
      this.reject(origin, rejected);
      return;
    }
    const { batch } = this;
    batch.events.push({ ...origin, record: recordOf(event, dayOfMs(atMs), this.o.isMade), isRefused: false });
    batch.texts.push(json);
    batch.bytes += json.length;
    batch.note.counts[this.o.isMade ? "made" : "sent"]++;
  }

  person(origin: Origin, person: ImportedPerson): void {
    this.batch.note.persons.push({ ...origin, person });
    this.batch.note.counts.persons++;
  }

  reject(origin: Origin, rejected: RowRejected): void {
    this.note(this.batch.note, origin, rejected);
  }

  leftOut(reason: string): void {
    countLeftOut(this.batch.note.counts, reason);
  }

  /** Ends a row; `done` with it. What it gives is to be waited for before the next row. */
  endRow(done: number): Promise<void> | null {
    const { batch } = this;
    batch.note.counts.rows++;
    batch.note.done = done;
    const { persons, counts } = batch.note;
    const isFull = Sender.isFull(batch) || persons.length >= PERSONS_A_BATCH || counts.rows >= NOTE_ROWS;
    return isFull ? this.flush() : null;
  }

  private async flush(): Promise<void> {
    const { batch } = this;
    this.batch = emptyBatch();
    await this.sender.send(batch);
  }

  async finish(): Promise<void> {
    if (this.batch.note.counts.rows > 0) await this.flush();
    await this.sender.finish();
  }

  private note(note: Note, { rows, row }: Origin, { reason, message }: RowRejected): void {
    if (this.o.isMade) {
      note.counts.madeRefused = (note.counts.madeRefused ?? 0) + 1;
      return;
    }
    const raw = rawOf(row);
    countReject(note.counts, reason);
    keepExample(note.counts, reason, { place: `${rows.file}:${row.line}`, message, raw });
    note.rejects.push(rejectLine(rows, row, raw, { reason, message }));
  }

  private async sendPersons(note: Note): Promise<void> {
    const waiting = note.persons.splice(0);
    if (waiting.length === 0) return;
    const persons = waiting.map(({ person }) => person);
    const { status, body } = await this.o.weir.answer("POST", "persons/batch/", { persons });
    if (status === 413 && waiting.length > 1) return this.sendHalves(waiting, note);
    if (status === 413) return this.refused(waiting[0]!, note, "too large");
    if (status >= 300 || !isJsonObject(body)) {
      throw new TerminalError("weir_refused", `The Weir refuses persons: ${status} ${JSON.stringify(body)}`);
    }
    const { problems } = body as { problems: { index: number; detail: string }[] };
    for (const { index, detail } of problems) this.refused(waiting[index]!, note, detail);
  }

  private async sendHalves(waiting: Note["persons"], note: Note): Promise<void> {
    const middle = waiting.length >> 1;
    for (const half of [waiting.slice(0, middle), waiting.slice(middle)]) {
      note.persons.push(...half);
      await this.sendPersons(note);
    }
  }

  private refused({ person: _, ...origin }: Note["persons"][number], note: Note, problem: string): void {
    note.counts.persons--;
    this.note(note, origin, new RowRejected("refused", problem));
  }
}

const emptyBatch = (): Batch<SentEvent, Note> => ({
  events: [],
  texts: [],
  bytes: 0,
  note: { counts: noCounts(), rejects: [], persons: [], done: 0 },
});

/** A line of `rejects.jsonl`. */
function rejectLine(
  { stage, file }: Rows,
  { line }: Row,
  raw: string,
  { reason, message }: { reason: RejectReason; message: string },
): string {
  const isCut = raw.length > RAW_MAX_UNITS;
  const reject = {
    file,
    line,
    stage: stage.name,
    reason,
    message,
    raw: isCut ? raw.slice(0, RAW_MAX_UNITS) : raw,
    ...(isCut && { cut: true }),
  };
  return `${JSON.stringify(reject)}\n`;
}

function rawOf(row: Row): string {
  try {
    return row.raw();
  } catch (error) {
    return describeError(error);
  }
}
