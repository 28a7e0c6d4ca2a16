import type { Lane } from "../../src/types/mod.ts";
import { away } from "./broker.ts";
import type { FrontWrongs } from "./frontWrongs.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

/** What a process asks the broker of its streams. */
export class StreamsOf {
  readonly isCluster = false;

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

  async nextSequenceOf(o: {
    lane: Lane;
    generation: number;
    partition: number;
    above: number;
  }): Promise<number | null> {
    return this.ask(() => {
      const frames = this.universe.broker.stream(o.lane, o.generation)?.frames ?? [];
      return (
        frames.find(({ partition, sequence }) => partition === o.partition && sequence > o.above)?.sequence ?? null
      );
    });
  }

  async purge(lane: Lane, generation: number, belowSequence: number): Promise<boolean> {
    const below = this.wrongs.purgesEverything ? Number.MAX_SAFE_INTEGER : belowSequence;
    return this.ask(() => this.universe.broker.purge(lane, generation, below));
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

/** Knows which frames are not settled. */
export class Queue {
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
