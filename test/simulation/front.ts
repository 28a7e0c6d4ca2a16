import { loadConfig } from "../../src/config.ts";
import { type Catalog, openCatalog } from "../../src/lake/mod.ts";
import { mergeKindOf, mergeOf, mergeRequest } from "../../src/properties/mod.ts";
import { checkGeneration, type OpenGeneration } from "../../src/runtime/generation.ts";
import { Purger } from "../../src/runtime/purger.ts";
import { identityPartitionOf, partitionOf } from "../../src/stream/mod.ts";
import { type AcceptedEvent, EventFlag, LANES, type Lane, type TeamCounts } from "../../src/types/mod.ts";
import { away, type OutgoingFrame } from "./broker.ts";
import { Process } from "./scheduler.ts";
import { SimDb } from "./store.ts";
import type { Universe } from "./universe.ts";
import type { SimRequest } from "./workload.ts";

export const PARTITIONS = 3;
const CONFIG = loadConfig({ WEIR_PARTITIONS: String(PARTITIONS) });
const LOOK_MS = 250;
const LOOKS_PER_CLEANING = 2;
const ACK_TIMEOUT_MS = 200;
const GIVE_UP_MS = 600;
const FRAME_MAX_EVENTS = 2;
const FRAME_MAX_PARTS = 2;

/** What a front does wrong, where a test plants it. */
export interface FrontWrongs {
  /** Rule 2: publishes to whatever stream is there. */
  trustsStreams?: boolean;
  /** Rule 3: its frame ids come again after a restart, and it takes a duplicate for its own frame. */
  reusesIds?: boolean;
  /** Rule 4: sends later frames before one that was not acknowledged. */
  sendsLaterFirst?: boolean;
  /** Rule 4: goes on with a request of which a frame was given up. */
  goesOnAfterFailure?: boolean;
  /** Rule 6: does not wait for the copy of a merging event. */
  mergesLast?: boolean;
  /** Rule 8: purges what is not settled. */
  purgesEverything?: boolean;
  /** Rule 11: unlinks files that are being written. */
  collectsPending?: boolean;
}

/** One call of a client: it fails as a whole. */
interface Sending {
  hasFailed: boolean;
  fail(error: Error): void;
}

/** What of a call goes into one frame. */
interface Chunk {
  sending: Sending;
  teamId: number;
  events: AcceptedEvent[];
  dropped: TeamCounts["dropped"];
  isCorrupt: boolean;
  stored(sequence: number): void;
}

/**
 * Accepts events as src/stream/publish and src/runtime/intake.ts do: one frame under way for each (lane, partition), the
 * same one again when its acknowledgement does not come, the copy of a merging event first, and no trust in a stream that
 * counts backwards (protocol rules 2, 3, 4, 6).
 */
export class Front {
  readonly process: Process;
  private readonly catalog: Catalog;
  private current: Publisher | null = null;
  private checkNeeded = true;
  private wentBack = false;

  constructor(
    readonly universe: Universe,
    name: string,
    readonly wrongs: FrontWrongs,
    onDeath: () => void,
  ) {
    this.process = new Process(name, onDeath);
    this.catalog = openCatalog(new SimDb(universe, this.process));
    universe.broker.listen((change) => {
      if (change !== "up") return;
      this.checkNeeded = true;
      universe.scheduler.after(universe.scheduler.delayMs(), this.process, () => this.current?.onReconnect());
    });
    void this.look();
  }

  /** Throws while nothing can be accepted, and when not all was. */
  async accept({ teamId, lane, events, dropped, isCorrupt }: SimRequest): Promise<void> {
    const { scheduler, broker } = this.universe;
    await scheduler.point(this.process);
    const publisher = this.current;
    if (!broker.isUp || publisher === null || this.checkNeeded) throw away();
    const stamped = events.map((event) => {
      const timestampMs = event.flags & EventFlag.ServerTime ? scheduler.nowMs + event.timestampMs : event.timestampMs;
      return { ...event, timestampMs };
    });
    if (lane === "identity") await publisher.storeIdentity(teamId, stamped);
    else await publisher.publish(teamId, lane, stamped, dropped, isCorrupt);
  }

  /** It has looked at the streams, and events can be accepted. */
  get isOpen(): boolean {
    return this.current !== null && !this.checkNeeded && !this.wentBack;
  }

  sequenceWentBack(): void {
    this.wentBack = true;
  }

  private async look(): Promise<void> {
    const { scheduler, broker } = this.universe;
    for (let looks = 0; ; ) {
      try {
        if (broker.isUp) {
          if (this.wentBack) await this.giveUpGeneration();
          if (this.checkNeeded || !(await this.isCurrent())) await this.checkStreams();
          if (looks++ % LOOKS_PER_CLEANING === 0) {
            await this.collect();
            await this.current?.purge();
          }
        }
      } catch (error) {
        this.universe.log(this.process.name, `looking: ${(error as Error).message}`);
      }
      await scheduler.sleep(this.process, LOOK_MS);
    }
  }

  private async checkStreams(): Promise<void> {
    if (this.wrongs.trustsStreams && (await this.trust())) return;
    const check = await checkGeneration(new StreamsOf(this.universe, this.process), this.catalog, CONFIG);
    this.checkNeeded = false;
    this.universe.log(this.process.name, `streams: ${JSON.stringify(check)}`);
    if (check.state === "draining") {
      this.setCurrent(null);
      return;
    }
    if (this.current?.generation === check.open.generation) return;
    this.setCurrent(new Publisher(this, this.catalog, check.open));
  }

  private async isCurrent(): Promise<boolean> {
    if (this.current === null || this.wrongs.trustsStreams) return this.current !== null;
    const known = await this.catalog.currentGeneration();
    return known?.state === "open" && known.generation === this.current.generation;
  }

  private async trust(): Promise<boolean> {
    const open = await this.catalog.currentGeneration();
    if (open === null) return false;
    for (const lane of LANES) this.universe.broker.ensureStream(lane, open.generation);
    this.checkNeeded = false;
    if (this.current === null) this.setCurrent(new Publisher(this, this.catalog, open));
    return true;
  }

  private async giveUpGeneration(): Promise<void> {
    if (this.current !== null) await this.catalog.drainGeneration(this.current.generation);
    this.wentBack = false;
    this.checkNeeded = true;
  }

  private setCurrent(next: Publisher | null): void {
    this.current?.close();
    this.current = next;
  }

  /** Unlinks what nobody can need any more. */
  private async collect(): Promise<void> {
    const ids = await this.catalog.collectable();
    if (this.wrongs.collectsPending) {
      const pending = this.universe.store.rows<{ id: string }>("select id from segments where state = 'pending'");
      for (const { id } of pending) this.universe.disk.files.delete(id);
    }
    if (ids.length === 0) return;
    await this.universe.scheduler.point(this.process);
    for (const id of ids) this.universe.disk.remove(id);
    await this.catalog.forget(ids);
  }
}

class Publisher {
  readonly generation: number;
  private readonly partitions: number;
  private readonly lanes = new Map<Lane, { highestSequence: number; hasFailed: boolean; outboxes: Outbox[] }>();
  private readonly purger: Purger;

  constructor(
    readonly front: Front,
    catalog: Catalog,
    { generation, partitions }: OpenGeneration,
  ) {
    this.generation = generation;
    this.partitions = partitions;
    const { universe, process } = front;
    const bus = new StreamsOf(universe, process, front.wrongs);
    this.purger = new Purger({ bus, catalog, queue: new Queue(universe, process, generation), generation });
  }

  async purge(): Promise<void> {
    this.purger.hurry();
    await this.purger.look();
  }

  async publish(
    teamId: number,
    lane: Lane,
    events: AcceptedEvent[],
    dropped: TeamCounts["dropped"],
    isCorrupt: boolean,
  ): Promise<void> {
    const { universe, process } = this.front;
    const merging = events.flatMap((event) => {
      const merge = mergeKindOf(event.event) === null ? null : mergeOf(event);
      return merge === null || merge.illegal ? [] : [{ event, copy: mergeRequest(event, merge) }];
    });
    if (merging.length > 0 && this.front.wrongs.mergesLast) {
      void this.storeIdentity(
        teamId,
        merging.map(({ copy }) => copy),
      ).catch(() => {});
    } else if (merging.length > 0) {
      const sequences = await this.storeIdentity(
        teamId,
        merging.map(({ copy }) => copy),
      );
      for (const [i, { event }] of merging.entries()) {
        event.mergeSequence = sequences[i]!;
        event.mergedAtMs = await this.storedTimeOf(event.mergeSequence);
      }
      if (universe.trouble.draw("front killed between a merge and its event")) process.kill();
    }
    const byPartition = Map.groupBy(events, (event) => partitionOf(teamId, event.distinctId, this.partitions));
    if (byPartition.size === 0) byPartition.set(partitionOf(teamId, "", this.partitions), []);
    let rest = dropped;
    await this.send((chunksOf) =>
      [...byPartition].flatMap(([partition, own]) => {
        const chunks = chunksOf(teamId, own, rest, isCorrupt);
        rest = {};
        return chunks.map((chunk) => ({ lane, partition, chunk }));
      }),
    );
  }

  /** The sequence of each. */
  async storeIdentity(teamId: number, copies: AcceptedEvent[]): Promise<number[]> {
    const partition = identityPartitionOf(teamId, this.partitions);
    const sequences = new Map<AcceptedEvent, number>();
    await this.send((chunksOf) =>
      chunksOf(teamId, copies, {}, false, (event, sequence) => sequences.set(event, sequence)).map((chunk) => {
        return { lane: "identity", partition, chunk };
      }),
    );
    return copies.map((copy) => sequences.get(copy)!);
  }

  private async storedTimeOf(sequence: number): Promise<number> {
    const { universe, process } = this.front;
    await universe.scheduler.point(process);
    const stream = universe.broker.stream("identity", this.generation);
    const frame = universe.broker.isUp ? stream?.frames.find((stored) => stored.sequence === sequence) : undefined;
    if (frame === undefined) throw away();
    const { storedAtMs } = frame;
    await universe.scheduler.point(process);
    return storedAtMs;
  }

  /** Resolves when every chunk is stored. */
  private send(route: (chunksOf: ChunksOf) => { lane: Lane; partition: number; chunk: Chunk }[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let waiting = 0;
    const sending: Sending = {
      hasFailed: false,
      fail(error) {
        sending.hasFailed = true;
        reject(error);
      },
    };
    const chunksOf: ChunksOf = (teamId, events, dropped, isCorrupt, onStored) => {
      const chunks: Chunk[] = [];
      for (let at = 0; at === 0 || at < events.length; at += FRAME_MAX_EVENTS) {
        const own = events.slice(at, at + FRAME_MAX_EVENTS);
        const stored = (sequence: number) => {
          for (const event of own) onStored?.(event, sequence);
          if (--waiting === 0) resolve();
        };
        chunks.push({ sending, teamId, events: own, dropped: at === 0 ? dropped : {}, isCorrupt, stored });
      }
      return chunks;
    };
    const routed = route(chunksOf);
    waiting = routed.length;
    for (const { lane, partition, chunk } of routed) {
      const { outboxes, hasFailed } = this.laneOf(lane);
      if (hasFailed) sending.fail(away());
      else outboxes[partition]!.add(chunk);
    }
    return promise;
  }

  laneOf(lane: Lane) {
    let own = this.lanes.get(lane);
    if (own === undefined) {
      const outboxes = Array.from({ length: this.partitions }, (_, partition) => new Outbox(this, lane, partition));
      own = { highestSequence: 0, hasFailed: false, outboxes };
      this.lanes.set(lane, own);
    }
    return own;
  }

  onReconnect(): void {
    for (const { outboxes } of this.lanes.values()) for (const outbox of outboxes) outbox.onReconnect();
  }

  failLane(lane: Lane): void {
    const own = this.laneOf(lane);
    own.hasFailed = true;
    for (const outbox of own.outboxes) outbox.failEverything();
    this.front.sequenceWentBack();
  }

  close(): void {
    for (const { outboxes } of this.lanes.values()) for (const outbox of outboxes) outbox.failEverything();
  }
}

type ChunksOf = (
  teamId: number,
  events: AcceptedEvent[],
  dropped: TeamCounts["dropped"],
  isCorrupt: boolean,
  onStored?: (event: AcceptedEvent, sequence: number) => void,
) => Chunk[];

interface InFlight {
  frame: OutgoingFrame;
  chunks: Chunk[];
  attempts: number;
  sinceMs: number;
  /** Acknowledgements must come above. */
  floor: number;
}

class Outbox {
  private readonly queue: Chunk[] = [];
  private inFlight: InFlight | null = null;
  private sent = 0;

  constructor(
    private readonly publisher: Publisher,
    private readonly lane: Lane,
    private readonly partition: number,
  ) {}

  add(chunk: Chunk): void {
    this.queue.push(chunk);
    this.pump();
  }

  onReconnect(): void {
    if (this.inFlight !== null) this.transmit(this.inFlight);
    else this.pump();
  }

  failEverything(): void {
    const chunks = [...(this.inFlight?.chunks ?? []), ...this.queue.splice(0)];
    this.inFlight = null;
    for (const { sending } of chunks) sending.fail(away());
  }

  private pump(): void {
    if (this.inFlight !== null) return;
    const chunks: Chunk[] = [];
    while (chunks.length < FRAME_MAX_PARTS && this.queue.length > 0) {
      const chunk = this.queue.shift()!;
      if (!chunk.sending.hasFailed || this.publisher.front.wrongs.goesOnAfterFailure) chunks.push(chunk);
    }
    if (chunks.length === 0) return;
    const { generation, front } = this.publisher;
    const counts = chunks.map(({ teamId, events, dropped }) => ({ teamId, events: events.length, dropped }));
    const frame: OutgoingFrame = {
      id: `${front.wrongs.reusesIds ? "front" : front.process.name}.${this.lane}.${generation}.${this.partition}.${this.sent++}`,
      lane: this.lane,
      generation,
      partition: this.partition,
      counts,
      events: chunks.flatMap(({ events }) => events),
      isCorrupt: chunks.some(({ isCorrupt }) => isCorrupt),
    };
    const floor = this.publisher.laneOf(this.lane).highestSequence;
    this.inFlight = { frame, chunks, attempts: 0, sinceMs: front.universe.scheduler.nowMs, floor };
    this.transmit(this.inFlight);
  }

  private transmit(inFlight: InFlight): void {
    const { universe, process } = this.publisher.front;
    const { scheduler, trouble, broker } = universe;
    const attempt = ++inFlight.attempts;
    scheduler.after(ACK_TIMEOUT_MS, process, () => this.onTimeout(inFlight, attempt));
    if (trouble.draw("publish lost")) return;
    const arrive = () => {
      if (broker.isUp && trouble.draw("publish refused")) {
        scheduler.after(scheduler.delayMs(), process, () => this.onRefusal(inFlight, attempt));
        return;
      }
      const answer = broker.store(inFlight.frame);
      if (answer === "refused") {
        scheduler.after(scheduler.delayMs(), process, () => this.onRefusal(inFlight, attempt));
        return;
      }
      if (answer === null || trouble.draw("acknowledgement lost")) return;
      scheduler.after(scheduler.delayMs(), process, () => this.onAnswer(inFlight, attempt, answer));
    };
    scheduler.after(scheduler.delayMs(), null, arrive);
    if (trouble.draw("publish duplicated")) scheduler.after(scheduler.delayMs(), null, arrive);
  }

  private onTimeout(inFlight: InFlight, attempt: number): void {
    if (this.inFlight !== inFlight || inFlight.attempts !== attempt) return;
    const { universe, wrongs } = this.publisher.front;
    const { scheduler } = universe;
    if (wrongs.sendsLaterFirst) {
      this.inFlight = null;
      this.queue.push(...inFlight.chunks);
      this.pump();
    } else if (scheduler.nowMs - inFlight.sinceMs < GIVE_UP_MS) this.transmit(inFlight);
    else this.fail(inFlight);
  }

  private onRefusal(inFlight: InFlight, attempt: number): void {
    if (this.inFlight === inFlight && inFlight.attempts === attempt) this.fail(inFlight);
  }

  private onAnswer(inFlight: InFlight, attempt: number, answer: { sequence: number; isDuplicate: boolean }): void {
    if (this.inFlight !== inFlight || inFlight.attempts !== attempt) return;
    if (answer.sequence <= inFlight.floor) this.publisher.failLane(this.lane);
    else if (attempt === 1 && answer.isDuplicate && !this.publisher.front.wrongs.reusesIds) this.fail(inFlight);
    else {
      this.inFlight = null;
      const lane = this.publisher.laneOf(this.lane);
      lane.highestSequence = Math.max(lane.highestSequence, answer.sequence);
      for (const chunk of inFlight.chunks) chunk.stored(answer.sequence);
      this.pump();
    }
  }

  private fail(inFlight: InFlight): void {
    this.inFlight = null;
    for (const { sending } of inFlight.chunks) sending.fail(away());
    this.pump();
  }
}

/** What a process asks the broker of its streams. */
class StreamsOf {
  constructor(
    private readonly universe: Universe,
    private readonly process: Process,
    private readonly wrongs: FrontWrongs = {},
  ) {}

  async streamFacts(lane: Lane, generation: number) {
    return this.ask(() => {
      const stream = this.universe.broker.stream(lane, generation);
      return stream === undefined ? null : factsOf(stream);
    });
  }

  async ensureStream({ lane, generation }: { lane: Lane; generation: number }) {
    return this.ask(() => factsOf(this.universe.broker.ensureStream(lane, generation)));
  }

  async lastSequenceOf({ lane, generation, partition }: { lane: Lane; generation: number; partition: number }) {
    return this.ask(() => {
      const frames = this.universe.broker.stream(lane, generation)?.frames ?? [];
      return frames.findLast((frame) => frame.partition === partition)?.sequence ?? 0;
    });
  }

  async sealStream(lane: Lane, generation: number): Promise<void> {
    await this.ask(() => this.universe.broker.sealStream(lane, generation));
  }

  async deleteStream(lane: Lane, generation: number): Promise<void> {
    await this.ask(() => this.universe.broker.deleteStream(lane, generation));
  }

  async purge(lane: Lane, generation: number, belowSequence: number): Promise<void> {
    const below = this.wrongs.purgesEverything ? Number.MAX_SAFE_INTEGER : belowSequence;
    await this.ask(() => this.universe.broker.purge(lane, generation, below));
  }

  private async ask<T>(question: () => T): Promise<T> {
    const { scheduler, broker } = this.universe;
    await scheduler.point(this.process);
    if (!broker.isUp) throw away();
    const answer = question();
    await scheduler.point(this.process);
    return answer;
  }
}

function factsOf({ created, firstSequence, lastSequence, frames }: ReturnType<Universe["broker"]["ensureStream"]>) {
  return { created, firstSequence, lastSequence, messages: frames.length, sizeBytes: frames.length };
}

/** Knows the frames that are not settled. */
class Queue {
  constructor(
    private readonly universe: Universe,
    private readonly process: Process,
    private readonly generation: number,
  ) {}

  catchUp(): Promise<void> {
    return this.universe.scheduler.point(this.process);
  }

  lowestUnsettled(lane: Lane, positionOf: (partition: number) => number): number {
    const stream = this.universe.broker.stream(lane, this.generation);
    const frame = stream?.frames.find(({ sequence, partition }) => sequence > positionOf(partition));
    return frame?.sequence ?? (stream?.lastSequence ?? 0) + 1;
  }
}
