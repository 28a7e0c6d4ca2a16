import { type Msg, RequestError, type Subscription } from "@nats-io/transport-node";
import type { Link } from "../link/link.ts";
import {
  askSubject,
  beatSubject,
  factsSubject,
  firstLine,
  OFFER_BEAT_MS,
  type OfferBeat,
  WORK_BEAT_MS,
  whoSubject,
  worded,
} from "./messages.ts";

/** What is done about a question: nothing, for the reason that the asker is told, or work that ends with the text of an answer. */
export type Taken = { busy: string } | { work(signal: AbortSignal): Promise<string> };

export interface OfferOptions {
  /** What kind of questions: letters, digits, - and _. */
  service: string;
  /** Of this process, new at each start; as `service`. */
  id: string;
  /** Where it is: the same after a restart. */
  place: string;
  /** Decides at once. The signal of the work fires when its asker has gone, or the offer ends; the work must not reject. */
  take(payload: string): Taken;
  /** What the process tells of itself when it is asked for that. */
  facts(): string;
}

/** A process offers to answer questions of others. */
export interface Offer {
  /** Nobody asks this process any more; what it has in hand is ended, and its askers are told. */
  end(): Promise<void>;
}

/** A last word that its asker has not heard is said again. */
const ANSWER_TRIES = 3;

export class NatsOffer implements Offer {
  readonly #link: Link;
  readonly #o: OfferOptions;
  readonly #subscriptions: Subscription[];
  readonly #beats: Timer;
  readonly #forget: () => void;
  readonly #inHand = new Map<AbortController, Promise<void>>();
  #isOver = false;

  constructor(link: Link, options: OfferOptions) {
    this.#link = link;
    this.#o = options;
    const { service, id } = options;
    const hear = (subject: string, heard: (message: Msg) => void) =>
      link.nc.subscribe(subject, { callback: (error, message) => void (error ?? heard(message)) });
    this.#subscriptions = [
      hear(whoSubject(service), () => this.#beat()),
      hear(askSubject(service, id), (message) => this.#take(message)),
      hear(factsSubject(service, id), (message) => message.respond(options.facts())),
    ];
    this.#beats = setInterval(() => this.#beat(), OFFER_BEAT_MS);
    this.#forget = link.onClose(() => clearInterval(this.#beats));
    this.#beat();
  }

  async end(): Promise<void> {
    clearInterval(this.#beats);
    this.#forget();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#beat(true);
    this.#isOver = true;
    for (const stop of this.#inHand.keys()) stop.abort();
    await Promise.all(this.#inHand.values());
  }

  #beat(isGone = false): void {
    const { service, id, place } = this.#o;
    const beat: OfferBeat = { id, place, isGone };
    if (this.#link.isConnected) this.#link.nc.publish(beatSubject(service), JSON.stringify(beat));
  }

  #take(message: Msg): void {
    const [inbox, payload] = firstLine(message.string());
    const taken = this.#o.take(payload);
    if ("busy" in taken) {
      message.respond(worded("busy", taken.busy));
      return;
    }
    message.respond(worded("taken"));
    const stop = new AbortController();
    const done = this.#work(inbox, taken.work, stop).finally(() => this.#inHand.delete(stop));
    this.#inHand.set(stop, done);
  }

  async #work(inbox: string, work: (signal: AbortSignal) => Promise<string>, stop: AbortController): Promise<void> {
    const beats = setInterval(async () => {
      if ((await this.#tell(inbox, worded("working"))) === "gone") stop.abort();
    }, WORK_BEAT_MS);
    try {
      const answer = await work(stop.signal);
      if (stop.signal.aborted) {
        if (this.#isOver) await this.#tell(inbox, worded("left"));
        return;
      }
      for (let tries = 0; tries < ANSWER_TRIES; tries++) {
        if ((await this.#tell(inbox, worded("answer", answer))) !== "unheard") return;
      }
    } finally {
      clearInterval(beats);
    }
  }

  /** An asker answers what it hears for as long as it waits. `unheard`: it may wait still. */
  async #tell(inbox: string, text: string): Promise<"heard" | "unheard" | "gone"> {
    if (!this.#link.isConnected) return "unheard";
    try {
      await this.#link.nc.request(inbox, text, { timeout: WORK_BEAT_MS });
      return "heard";
    } catch (error) {
      return error instanceof RequestError && error.isNoResponders() ? "gone" : "unheard";
    }
  }
}
