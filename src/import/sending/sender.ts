import { gzipSync } from "node:zlib";
import { TerminalError } from "../../types/mod.ts";
import { detailOf } from "../answers.ts";
import type { Pressure } from "./pressure.ts";
import type { WeirClient } from "./weir.ts";

const BATCH_EVENTS = 1_000;
const BATCH_BYTES = 5_000_000;
const REQUESTS = 4;
/** Answers that are about the events of a body, so that a smaller body may be taken. */
const ABOUT_THE_BODY = new Set([400, 413]);

/** What is sent in one request, and what is noted once it and all before it are taken. `N`: what the caller notes with it. */
export interface Batch<E, N> {
  events: E[];
  /** Of each event its JSON. */
  texts: string[];
  bytes: number;
  note: N;
}

export interface SenderOptions<E, N> {
  weir: WeirClient;
  /** The project key. */
  token: string;
  /** Whether bodies are packed: they go over a network. */
  isPacked: boolean;
  pressure: Pressure;
  /** Done before the events of a batch are sent. */
  before?(batch: Batch<E, N>): Promise<void>;
  /** In the order of the batches: everything up to here is taken. */
  onTaken(batch: Batch<E, N>): void;
  /** An event that the Weir refuses, before the batch it was in is `onTaken`. */
  onRefused(event: E, reason: string, batch: Batch<E, N>): void;
}

/** Sends batches, four at a time, and tells in order what was taken. */
export class Sender<E, N> {
  private readonly waiting: { batch: Batch<E, N>; isTaken: boolean }[] = [];
  private readonly running = new Set<Promise<void>>();
  private failure: unknown = null;
  private readonly head: string;

  constructor(private readonly options: SenderOptions<E, N>) {
    this.head = `{"api_key":${JSON.stringify(options.token)},"historical_migration":true,"batch":[`;
  }

  static isFull({ events, bytes }: Batch<unknown, unknown>): boolean {
    return events.length >= BATCH_EVENTS || bytes >= BATCH_BYTES;
  }

  /** Takes a batch over; resolves when there is room for another one. Throws what ended the sending. */
  async send(batch: Batch<E, N>): Promise<void> {
    if (this.failure !== null) throw this.failure;
    await this.options.pressure.room();
    while (this.running.size >= REQUESTS) await Promise.race(this.running);
    if (this.failure !== null) throw this.failure;
    const place = { batch, isTaken: false };
    this.waiting.push(place);
    const sending = this.deliverAll(batch).then(
      () => {
        place.isTaken = true;
        this.tellTaken();
      },
      (error: unknown) => {
        this.failure ??= error;
      },
    );
    const tracked = sending.finally(() => this.running.delete(tracked));
    this.running.add(tracked);
  }

  /** Resolves when everything is taken. */
  async finish(): Promise<void> {
    await Promise.all(this.running);
    if (this.failure !== null) throw this.failure;
  }

  private tellTaken(): void {
    while (this.waiting[0]?.isTaken === true) this.options.onTaken(this.waiting.shift()!.batch);
  }

  private async deliverAll(batch: Batch<E, N>): Promise<void> {
    await this.options.before?.(batch);
    await this.deliver(batch, 0, batch.events.length);
  }

  private async deliver(batch: Batch<E, N>, from: number, to: number): Promise<void> {
    if (from === to) return;
    const { weir, isPacked } = this.options;
    const text = `${this.head}${batch.texts.slice(from, to).join(",")}]}`;
    const body = isPacked ? gzipSync(text, { level: 1 }) : text;
    const { status, body: answer } = await weir.send(body, isPacked ? "gzip" : null);
    if (status < 300) return;
    const problem = `${status} ${detailOf(answer)}`;
    if (!ABOUT_THE_BODY.has(status)) throw new TerminalError("weir_refused", `The Weir refuses events: ${problem}`);
    if (to - from === 1) {
      this.options.onRefused(batch.events[from]!, problem, batch);
      return;
    }
    const middle = (from + to) >> 1;
    await this.deliver(batch, from, middle);
    await this.deliver(batch, middle, to);
  }
}
