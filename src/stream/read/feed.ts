import { AckPolicy, DeliverPolicy, ReplayPolicy } from "@nats-io/jetstream";
import { createInbox, type Msg, type Subscription } from "@nats-io/transport-node";
import type { Link } from "../link/link.ts";
import { findStream, nextOf } from "../link/streams.ts";
import { Confirmation } from "./confirmation.ts";
import { NewConsumer } from "./newConsumer.ts";

const NANOS_PER_MS = 1_000_000;
/** A pull that finds nothing waits so long at the broker; the cost of an idle feed is one message in this time. */
const PULL_EXPIRES_MS = 30_000;
/** So long after its end, a pull that was not ended has been lost. */
const PULL_GRACE_MS = 10_000;
/** Of a cluster: a consumer dies with the server that it is on, and the connection to another server does not tell. */
const CLUSTER_PULL = { expiresMs: 3_000, graceMs: 1_000 };
/** The broker forgets a consumer without a pull after this long. */
const INACTIVE_MS = 300_000;
const BACK_OFF_MIN_MS = 50;
const BACK_OFF_MAX_MS = 2_000;

/** A message with the broker's facts about it. */
export interface Delivery {
  message: Msg;
  sequence: number;
  storedAtMs: number;
}

interface FeedOptions {
  link: Link;
  stream: string;
  /** Subjects wanted; wildcards allowed. */
  subject: string;
  /** The first sequence wanted. */
  fromSequence: number;
  /** Leaves out the payloads. */
  headersOnly: boolean;
  /** Whether the leader of a cluster's stream confirms what comes soon after reading began; it sends each message once more for that. */
  isConfirmed: boolean;
  /** How many messages may be asked for now; 0 pauses until `resume`. */
  room: () => number;
  onMessage: (delivery: Delivery) => void;
}

/**
 * Messages of a stream in order, each once, from a sequence on: an ephemeral consumer without acks, pulled from by one
 * request at a time, so that what is under way is counted. Whenever the count or the delivery sequence does not fit, a
 * connection was lost or the consumer is gone, a new consumer goes on behind the last message seen: nothing is skipped. In a cluster the
 * consumer may be on another server than the stream's leader, so what it begins with, and that nothing is waiting, is compared with the leader.
 *
 * Not the client library's ordered consumer: that one goes on asking while its reader is busy, and for 32 readers it keeps
 * 32 status iterators and heartbeats where this needs one request each in half a minute.
 */
export class Feed {
  readonly #o: FeedOptions;
  readonly #unlisten: (() => void)[];
  #lastSequence: number;
  /** The consumer in use; replaced as a whole, so that late messages of an older one are told by identity. */
  #session: Session | null = null;
  #backOffMs = BACK_OFF_MIN_MS;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#o = options;
    this.#lastSequence = options.fromSequence - 1;
    this.#unlisten = [
      options.link.onChange((connected) => (connected ? this.#restart() : this.#detach())),
      options.link.onClose(() => this.close()),
    ];
    if (options.link.isConnected) this.#restart();
  }

  /** Everything up to here has been handed over. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** The broker said, with the last message or when reading began, that nothing more is waiting. */
  get isCaughtUp(): boolean {
    return this.#session?.pending === 0 && !isConfirming(this.#session);
  }

  /** There is room again. */
  resume(): void {
    if (this.#session !== null) this.#pull(this.#session);
  }

  close(): void {
    this.#closed = true;
    for (const unlisten of this.#unlisten) unlisten();
    this.#detach();
  }

  /** Leaves the consumer in use. The broker forgets it by itself when it cannot be reached. */
  #detach(): void {
    if (this.#retry) clearTimeout(this.#retry);
    const session = this.#session;
    this.#session = null;
    if (session === null) return;
    if (session.watch) clearTimeout(session.watch);
    session.confirmation?.close();
    session.subscription.unsubscribe();
    session.consumer.close();
  }

  #restart(): void {
    this.#detach();
    const inbox = createInbox();
    const session: Session = {
      inbox,
      subscription: this.#o.link.nc.subscribe(inbox, {
        callback: (error, message) => {
          if (this.#session !== session) return;
          if (error) this.#restartLater();
          else this.#receive(session, message);
        },
      }),
      consumer: this.#newConsumer(),
      deliverySequence: 0,
      pending: null,
      underWay: 0,
      expected: null,
      confirmation: null,
      watch: null,
    };
    this.#session = session;
    this.#begin(session).catch(() => {
      if (this.#session === session) this.#restartLater();
    });
  }

  #restartLater(): void {
    this.#detach();
    if (this.#closed || !this.#o.link.isConnected) return;
    this.#retry = setTimeout(() => this.#restart(), this.#backOffMs);
    this.#backOffMs = Math.min(this.#backOffMs * 2, BACK_OFF_MAX_MS);
  }

  #newConsumer(): NewConsumer {
    const { link, stream, subject, headersOnly } = this.#o;
    return new NewConsumer(link, stream, {
      filter_subject: subject,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(this.#lastSequence + 1, 1),
      replay_policy: ReplayPolicy.Instant,
      ack_policy: AckPolicy.None,
      headers_only: headersOnly,
      inactive_threshold: INACTIVE_MS * NANOS_PER_MS,
      mem_storage: true,
      num_replicas: 1,
    });
  }

  async #begin(session: Session): Promise<void> {
    const { link } = this.#o;
    const { num_pending: pending } = await session.consumer.made;
    if (this.#session !== session) return;
    session.pending = pending;
    if (link.isCluster) session.expected = await this.#nextOfLeader();
    if (link.isCluster && this.#o.isConfirmed) await this.#beginConfirmation(session);
    if (this.#session === session) this.#pull(session);
  }

  async #beginConfirmation(session: Session): Promise<void> {
    const leaderLast = (await findStream(this.#o.link, this.#o.stream))?.state.last_seq ?? 0;
    session.confirmation = new Confirmation({
      leaderLast,
      next: () => this.#nextOfLeader(),
      onConfirmed: (delivery) => this.#handOver(session, delivery),
      onRefused: () => this.#session === session && this.#restartLater(),
    });
  }

  #pull(session: Session): void {
    const { name } = session.consumer;
    if (name === null || session.underWay > 0 || !this.#o.link.isConnected) return;
    const batch = this.#o.room();
    if (batch <= 0) return;
    session.underWay = batch;
    const { expiresMs, graceMs } = this.#o.link.isCluster
      ? CLUSTER_PULL
      : { expiresMs: PULL_EXPIRES_MS, graceMs: PULL_GRACE_MS };
    const request = JSON.stringify({ batch, expires: expiresMs * NANOS_PER_MS });
    this.#o.link.nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${this.#o.stream}.${name}`, request, {
      reply: session.inbox,
    });
    if (session.watch) clearTimeout(session.watch);
    session.watch = setTimeout(() => session.underWay > 0 && this.#restart(), expiresMs + graceMs);
  }

  #receive(session: Session, message: Msg): void {
    if (!message.reply) {
      this.#onStatus(session, message);
      return;
    }
    const info = parseReply(message.reply);
    if (info.deliverySequence !== session.deliverySequence + 1 || this.#isPassedOver(session, info.sequence)) {
      this.#restart();
      return;
    }
    session.deliverySequence = info.deliverySequence;
    session.pending = info.pending;
    session.underWay--;
    const delivery = { message, sequence: info.sequence, storedAtMs: info.storedAtMs };
    const { confirmation } = session;
    // A consumer on a copy that is behind begins with what was seen already.
    if (this.#o.link.isCluster && info.sequence <= this.#lastSequence) this.#pull(session);
    else if (confirmation?.isNeeded(info.sequence)) confirmation.add(delivery);
    else this.#handOver(session, delivery);
  }

  #handOver(session: Session, delivery: Delivery): void {
    this.#lastSequence = delivery.sequence;
    this.#backOffMs = BACK_OFF_MIN_MS;
    this.#o.onMessage(delivery);
    // The callback may have closed the feed.
    if (this.#session === session) this.#pull(session);
  }

  #isPassedOver(session: Session, sequence: number): boolean {
    const { expected } = session;
    return expected !== null && !isConfirming(session) && this.#lastSequence < expected && sequence > expected;
  }

  /** The end of a pull: its time is over, or the consumer is gone. */
  #onStatus(session: Session, message: Msg): void {
    const left = Number(message.headers?.get("Nats-Pending-Messages") ?? Number.NaN);
    if (message.headers?.code === 408 && left === session.underWay) {
      session.underWay = 0;
      this.#pull(session);
      if (this.#o.link.isCluster) this.#lookForMissed(session).catch(() => {});
    } else this.#restartLater();
  }

  /**
   * A pull of a cluster has brought nothing: does the stream's leader know of a message? A consumer on a server that was cut off passes over what
   * its copy of the stream lacks at that moment, and then says that nothing is waiting (nats-server 2.9.10).
   */
  async #lookForMissed(session: Session): Promise<void> {
    const before = session.expected;
    const next = await this.#nextOfLeader();
    if (this.#session !== session || next === null || next <= this.#lastSequence || isConfirming(session)) return;
    // The first time it may be under way.
    if (next === before) this.#restart();
    else session.expected = next;
  }

  /** The sequence of the first message beyond the last one seen, as the leader of the stream knows it; null where there is none. */
  #nextOfLeader(): Promise<number | null> {
    const { link, stream, subject } = this.#o;
    return nextOf(link, stream, subject, this.#lastSequence + 1);
  }
}

interface Session {
  readonly inbox: string;
  readonly subscription: Subscription;
  readonly consumer: NewConsumer;
  /** Of the last message: counts 1, 2, 3 without a gap. */
  deliverySequence: number;
  /** Messages waiting at the broker; null while that is not known. */
  pending: number | null;
  /** Messages that the pull under way may still bring. */
  underWay: number;
  /** Of a cluster: a message that the stream's leader has; none beyond it may come before it. */
  expected: number | null;
  /** Where the leader confirms what comes. */
  confirmation: Confirmation<Delivery> | null;
  watch: ReturnType<typeof setTimeout> | null;
}

/** Whether deliveries wait for the leader's word. */
function isConfirming({ confirmation }: Session): boolean {
  return confirmation !== null && !confirmation.isEmpty;
}

/**
 * The facts in a message's reply subject:
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<sequence>.<delivery sequence>.<nanoseconds>.<pending>`, newer brokers put
 * a domain and an account before the stream and a random token behind.
 */
function parseReply(reply: string): {
  sequence: number;
  deliverySequence: number;
  storedAtMs: number;
  pending: number;
} {
  const tokens = reply.split(".");
  const at = tokens.length === 9 ? 5 : 7;
  return {
    sequence: Number(tokens[at]),
    deliverySequence: Number(tokens[at + 1]),
    storedAtMs: Number(tokens[at + 2]!.slice(0, -6)),
    pending: Number(tokens[at + 3]),
  };
}
