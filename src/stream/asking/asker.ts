import { createInbox, RequestError, type Subscription } from "@nats-io/transport-node";
import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import { type Link, unavailable } from "../link/link.ts";
import {
  askSubject,
  beatSubject,
  factsSubject,
  firstLine,
  OFFER_SILENT_MS,
  type OfferBeat,
  TAKEN_WITHIN_MS,
  WORK_SILENT_MS,
  type Word,
  whoSubject,
} from "./messages.ts";

/** A process that can be asked. */
export interface Offered {
  id: string;
  /** Where it is: the same after a restart, and for all processes of one place. */
  place: string;
}

export type AskReply = { kind: "busy" | "answered"; text: string };

/** Asks processes that offer their help. */
export interface Asker {
  /** Those that are alive, in no order; none while the broker is away. */
  offers(): Offered[];
  /** Whether the broker takes a question of this size. */
  fits(payload: string): boolean;
  /**
   * Asks one, which ends its work when `signal` fires or this process dies. Errors: RetryableError `ask_unanswered` where it does
   * not take the question in time or went silent over it, `broker_unavailable`; TerminalError `ask_left` after the signal.
   */
  ask(id: string, payload: string, signal: AbortSignal): Promise<AskReply>;
  /** What each of those that are alive tells of itself, by id; one that does not answer is left out. */
  facts(): Promise<Map<string, string>>;
}

/** Of a message beside its payload: subject, inbox, headers. */
const ENVELOPE_BYTES = 1_024;

export class NatsAsker implements Asker {
  readonly #link: Link;
  readonly #service: string;
  readonly #heard = new Map<string, { place: string; atMs: number }>();

  constructor(link: Link, service: string) {
    this.#link = link;
    this.#service = service;
    link.nc.subscribe(beatSubject(service), {
      callback: (error, message) => {
        if (error === null) this.#hear(message.json<OfferBeat>());
      },
    });
    if (link.isConnected) link.nc.publish(whoSubject(service));
  }

  offers(): Offered[] {
    if (!this.#link.isConnected) return [];
    const sinceMs = performance.now() - OFFER_SILENT_MS;
    for (const [id, { atMs }] of this.#heard) if (atMs < sinceMs) this.#heard.delete(id);
    return [...this.#heard].map(([id, { place }]) => ({ id, place }));
  }

  fits(payload: string): boolean {
    return Buffer.byteLength(payload) + ENVELOPE_BYTES <= (this.#link.nc.info?.max_payload ?? 0);
  }

  async ask(id: string, payload: string, signal: AbortSignal): Promise<AskReply> {
    const work = new Work(id);
    const onAbort = () => work.fail(new TerminalError("ask_left", "the asker does not wait any more"));
    const stopWatching = this.#link.onChange((connected) => connected || work.fail(unavailable()));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const inbox = createInbox();
    const subscription = this.#listen(inbox, work);
    try {
      const taking = this.#take(id, `${inbox}\n${payload}`);
      const [word, text] = await Promise.race([taking, work.failed]);
      if (word === "busy") return { kind: "busy", text };
      work.hear();
      return { kind: "answered", text: await work.answered };
    } finally {
      // Whoever works on it hears at its next beat that nobody waits.
      subscription.unsubscribe();
      work.end();
      stopWatching();
      signal.removeEventListener("abort", onAbort);
    }
  }

  async facts(): Promise<Map<string, string>> {
    const told = await Promise.all(
      this.offers().map(async ({ id }): Promise<[string, string][]> => {
        const request = this.#link.nc.request(factsSubject(this.#service, id), "", { timeout: TAKEN_WITHIN_MS });
        return request.then(
          (message) => [[id, message.string()]],
          () => [],
        );
      }),
    );
    return new Map(told.flat());
  }

  #listen(inbox: string, work: Work): Subscription {
    return this.#link.nc.subscribe(inbox, {
      callback: (error, message) => {
        if (error !== null) return;
        message.respond();
        const [word, text] = firstLine(message.string()) as [Word, string];
        if (word === "answer") work.done(text);
        else if (word === "left") work.fail(new RetryableError("ask_unanswered", "the process has ended"));
        else work.hear();
      },
    });
  }

  async #take(id: string, text: string): Promise<[word: Word, text: string]> {
    if (!this.#link.isConnected) throw unavailable();
    try {
      const reply = await this.#link.nc.request(askSubject(this.#service, id), text, { timeout: TAKEN_WITHIN_MS });
      return firstLine(reply.string()) as [Word, string];
    } catch (error) {
      // Until it is heard of again.
      if (error instanceof RequestError && error.isNoResponders()) this.#heard.delete(id);
      throw new RetryableError("ask_unanswered", `${id} took no question: ${describeError(error)}`, { cause: error });
    }
  }

  #hear({ id, place, isGone }: OfferBeat): void {
    if (isGone) this.#heard.delete(id);
    else this.#heard.set(id, { place, atMs: performance.now() });
  }
}

/** What another process does for this one. */
class Work {
  readonly #answer = Promise.withResolvers<string>();
  #silence: Timer | undefined;

  constructor(private readonly id: string) {
    this.#answer.promise.catch(() => {});
  }

  get answered(): Promise<string> {
    return this.#answer.promise;
  }

  /** Only ever rejects. */
  get failed(): Promise<never> {
    return this.#answer.promise.then(() => new Promise<never>(() => {}));
  }

  hear(): void {
    clearTimeout(this.#silence);
    const problem = `${this.id} went silent over a question`;
    this.#silence = setTimeout(() => this.fail(new RetryableError("ask_unanswered", problem)), WORK_SILENT_MS);
  }

  done(text: string): void {
    this.#answer.resolve(text);
  }

  fail(error: Error): void {
    this.#answer.reject(error);
  }

  end(): void {
    clearTimeout(this.#silence);
  }
}
