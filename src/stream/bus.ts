import type { Lane } from "../types/mod.ts";
import { type Asker, NatsAsker } from "./asking/asker.ts";
import { NatsOffer, type Offer, type OfferOptions } from "./asking/offer.ts";
import { type BrokerAddress, plainAddress } from "./link/address.ts";
import { Link } from "./link/link.ts";
import { purgeBelow } from "./link/removal.ts";
import {
  deleteStream,
  ensureStream,
  lastSequenceOf,
  nextOf,
  type StreamFacts,
  sealStream,
  streamFacts,
  streamName,
  subjectOf,
} from "./link/streams.ts";
import { joinMembers, listMembers, type Membership, type MembershipOptions } from "./membership.ts";
import { BusPublisher, type Publisher, type PublisherOptions } from "./publish/publisher.ts";
import { type FrameReader, type FrameReaderOptions, PartitionReader } from "./read/frameReader.ts";
import { LaneQueueReader, type QueueReader } from "./read/queueReader.ts";
import { JetStreamWorkQueue, type WorkQueue, type WorkQueueOptions } from "./work/workQueue.ts";

/**
 * A connection to the broker that comes back by itself. Calls that need the broker throw RetryableError
 * `broker_unavailable` while it is away, TerminalError `broker_refused` when it says no.
 */
export interface Bus {
  readonly isConnected: boolean;
  /** Of several servers: what one of them says of a stream may be wrong for a moment. */
  readonly isCluster: boolean;
  /** Of the broker, as it said when this connection was made; null where it said none. */
  readonly serverVersion: string | null;
  /** Calls back at each loss (false) and return (true) of the connection; gives the function that ends it. */
  onConnection(listener: (connected: boolean) => void): () => void;
  /** Makes a lane's stream when missing, brings it to `maxBytes`, and throws TerminalError `stream_differs` for the rest. */
  ensureStream(o: { lane: Lane; generation: number; maxBytes: number }): Promise<StreamFacts>;
  /** Null when there is no such stream. */
  streamFacts(lane: Lane, generation: number): Promise<StreamFacts | null>;
  /** Highest sequence that is stored for one partition; 0 when nothing is. */
  lastSequenceOf(o: { lane: Lane; generation: number; partition: number }): Promise<number>;
  /** Sequence of the first frame of a partition above another one; null when there is none. */
  nextSequenceOf(o: { lane: Lane; generation: number; partition: number; above: number }): Promise<number | null>;
  /** From now on a lane's stream takes nothing in; it can still be read. This is final. */
  sealStream(lane: Lane, generation: number): Promise<void>;
  /** Removes a lane's stream with all it holds, and the room reserved for it. */
  deleteStream(lane: Lane, generation: number): Promise<void>;
  /** Removes sequences below `belowSequence`, of all partitions. False: a cluster has done a part of it, and another call goes on. */
  purge(lane: Lane, generation: number, belowSequence: number): Promise<boolean>;
  publisher(o: PublisherOptions): Publisher;
  reader(o: FrameReaderOptions): FrameReader;
  /** Counts frames above `fromSequence` of each lane. */
  queue(o: { generation: number; lanes: readonly Lane[]; fromSequence: (lane: Lane) => number }): Promise<QueueReader>;
  join(o: MembershipOptions): Promise<Membership>;
  /** A queue of tasks; its stream is made when it is first used. */
  workQueue(o: WorkQueueOptions): WorkQueue;
  /** Sorted ids of the members that are alive. */
  members(): Promise<string[]>;
  /** Lets other processes ask this one. */
  offer(o: OfferOptions): Offer;
  /** Asks those that offer this service. */
  asker(service: string): Asker;
  /** Everything made from it ends too; requests that publishers hold fail. */
  close(): Promise<void>;
}

/** An address, or its URL alone. Throws RetryableError `broker_unavailable`, TerminalError `invalid_setting`. */
export async function connectBus(address: BrokerAddress | string, o: { name?: string } = {}): Promise<Bus> {
  const whole = typeof address === "string" ? plainAddress(address) : address;
  return new NatsBus(await Link.open(whole, o.name ?? "weir"));
}

class NatsBus implements Bus {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  get isConnected(): boolean {
    return this.#link.isConnected;
  }

  get isCluster(): boolean {
    return this.#link.isCluster;
  }

  get serverVersion(): string | null {
    return this.#link.nc.info?.version ?? null;
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    return this.#link.onChange(listener);
  }

  ensureStream(o: { lane: Lane; generation: number; maxBytes: number }): Promise<StreamFacts> {
    return ensureStream(this.#link, o);
  }

  streamFacts(lane: Lane, generation: number): Promise<StreamFacts | null> {
    return streamFacts(this.#link, lane, generation);
  }

  lastSequenceOf(o: { lane: Lane; generation: number; partition: number }): Promise<number> {
    return lastSequenceOf(this.#link, o.lane, o.generation, o.partition);
  }

  nextSequenceOf(o: { lane: Lane; generation: number; partition: number; above: number }): Promise<number | null> {
    const { lane, generation, partition, above } = o;
    return nextOf(this.#link, streamName(lane, generation), subjectOf(lane, generation, partition), above + 1);
  }

  sealStream(lane: Lane, generation: number): Promise<void> {
    return sealStream(this.#link, lane, generation);
  }

  deleteStream(lane: Lane, generation: number): Promise<void> {
    return deleteStream(this.#link, lane, generation);
  }

  purge(lane: Lane, generation: number, belowSequence: number): Promise<boolean> {
    return purgeBelow(this.#link, lane, generation, belowSequence);
  }

  publisher(o: PublisherOptions): Publisher {
    return new BusPublisher(this.#link, o);
  }

  reader(o: FrameReaderOptions): FrameReader {
    return new PartitionReader(this.#link, o);
  }

  async queue(o: {
    generation: number;
    lanes: readonly Lane[];
    fromSequence: (lane: Lane) => number;
  }): Promise<QueueReader> {
    return new LaneQueueReader(this.#link, o);
  }

  join(o: MembershipOptions): Promise<Membership> {
    return joinMembers(this.#link, o);
  }

  workQueue(o: WorkQueueOptions): WorkQueue {
    return new JetStreamWorkQueue(this.#link, o);
  }

  members(): Promise<string[]> {
    return listMembers(this.#link);
  }

  offer(o: OfferOptions): Offer {
    return new NatsOffer(this.#link, o);
  }

  asker(service: string): Asker {
    return new NatsAsker(this.#link, service);
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}
