import type { OpenGeneration } from "../../src/intake/generation.ts";
import { inTurns } from "../../src/intake/mergeTurns.ts";
import { Purger } from "../../src/intake/purger.ts";
import type { Catalog } from "../../src/lake/mod.ts";
import { identityPartitionOf, partitionOf, TURN_GAP_MS, type Turn } from "../../src/stream/mod.ts";
import type { AcceptedEvent, Lane, TeamCounts } from "../../src/types/mod.ts";
import { away } from "./broker.ts";
import { type Chunk, Outbox, type Sending, type SendingFront } from "./outbox.ts";
import { Queue, StreamsOf } from "./streams.ts";

const FRAME_MAX_EVENTS = 2;

type ChunksOf = (
  teamId: number,
  events: AcceptedEvent[],
  dropped: TeamCounts["dropped"],
  isCorrupt: boolean,
  onStored?: (event: AcceptedEvent, sequence: number) => void,
) => Chunk[];

/** Sends what a front accepts to the streams of one generation. */
export class Publisher {
  readonly generation: number;
  private readonly partitions: number;
  private readonly lanes = new Map<Lane, { highestSequence: number; hasFailed: boolean; outboxes: Outbox[] }>();
  private readonly purger: Purger;

  constructor(
    readonly front: SendingFront & { sequenceWentBack(): void },
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
    const turns = this.front.wrongs.takesNoTurns ? [allAtOnce(lane, events)] : inTurns({ lane, events });
    for (const [i, turn] of turns.entries()) {
      if (i > 0) await universe.scheduler.sleep(process, TURN_GAP_MS);
      const copies = turn.merging.map(({ copy }) => copy);
      if (copies.length > 0 && this.front.wrongs.mergesLast) void this.storeIdentity(teamId, copies).catch(() => {});
      else if (copies.length > 0) {
        const sequences = await this.storeIdentity(teamId, copies);
        for (const [n, { event }] of turn.merging.entries()) {
          event.mergeSequence = sequences[n]!;
          event.mergedAtMs = await this.storedTimeOf(event.mergeSequence);
        }
        const lastMs = Math.max(...turn.merging.map(({ event }) => event.mergedAtMs));
        for (const event of turn.later) event.mergedAtMs = lastMs;
        if (universe.trouble.draw("front killed between a merge and its event")) process.kill();
      }
      const own = turn.events as AcceptedEvent[];
      await this.sendTurn({ teamId, lane, events: own, dropped: i === turns.length - 1 ? dropped : {}, isCorrupt });
    }
  }

  private async sendTurn(o: {
    teamId: number;
    lane: Lane;
    events: AcceptedEvent[];
    dropped: TeamCounts["dropped"];
    isCorrupt: boolean;
  }): Promise<void> {
    const { teamId, lane, events, dropped, isCorrupt } = o;
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

function allAtOnce(lane: Lane, events: AcceptedEvent[]): Turn {
  const turns = inTurns({ lane, events });
  return { events, merging: turns.flatMap(({ merging }) => merging), later: turns.flatMap(({ later }) => later) };
}
