import type { Config } from "../config.ts";
import {
  type IngestionStatus,
  type InstallationStatus,
  ingestionStatus,
  ingestionStatuses,
  readInstallation,
} from "../health/mod.ts";
import type { Catalog } from "../lake/mod.ts";
import { type GroupImport, importRequest, type PersonImport } from "../persons/mod.ts";
import type { Bus, PublishBatch, Publisher, QueueReader } from "../stream/mod.ts";
import { describeError, LANES, type Lane, RetryableError } from "../types/mod.ts";
import type { DiskGuard } from "./disk.ts";
import { checkGeneration, type OpenGeneration } from "./generation.ts";
import { GroupTypeOrder } from "./groupTypeOrder.ts";
import { inTurns } from "./mergeTurns.ts";
import { Purger } from "./purger.ts";
import { redrive } from "./redrive.ts";

export interface IntakeParts {
  config: Config;
  bus: Bus;
  catalog: Catalog;
  disk: DiskGuard;
  /** Whether this process removes settled frames from the streams; the fronts do. */
  purges: boolean;
  log(message: string): void;
}

const LOOK_MS = 250;
/** While there is more to purge, a look takes about so long. */
const HURRIED_MS = 1_000;
/** A cluster elects a leader in some seconds, also where the machine is busy. */
const START_PATIENCE_MS = 30_000;
/** A cluster that elects a leader answers sooner. */
const SILENT_MS = 15_000;
const LEAVE_LOOK_MS = 10;
const LEAVE_TIMEOUT_MS = 2_000;
const IDENTITY_LOOK_MS = 20;
const IDENTITY_TIMEOUT_MS = 30_000;

/** The parts of this process that belong to one generation. */
interface Current extends OpenGeneration {
  publisher: Publisher;
  queue: QueueReader;
  purger: Purger | null;
}

/**
 * The way of events into the streams: publishes to the open generation, tells where events are, and purges settled frames. While
 * no generation is open it refuses, so that no event is promised that cannot be kept.
 */
export class Intake {
  private current: Current | null = null;
  /** Connections to the broker so far, and the one on which the streams were looked at last. */
  private connections = 0;
  private checkedConnection = -1;
  /** The open generation must be left, even if the catalog's positions fit it. */
  private wentBack = false;
  /** Answers of the streams in use are waited for; nothing more is sent to them. */
  private isLeaving = false;
  private timer: Timer | undefined;
  private looking: Promise<void> = Promise.resolve();
  private closed = false;
  private readonly groupTypes: GroupTypeOrder;

  constructor(private readonly parts: IntakeParts) {
    this.groupTypes = new GroupTypeOrder(parts.catalog, parts.log);
    parts.bus.onConnection((connected) => {
      if (connected) this.connections++;
    });
  }

  /**
   * Opens a generation, or starts to drain one that does not fit; then looks again and again. A broker that is reached and does not answer yet,
   * as a cluster without a leader, is asked again for a while; then throws RetryableError.
   */
  async start(): Promise<void> {
    await this.parts.disk.look();
    const giveUpAtMs = performance.now() + START_PATIENCE_MS;
    for (;;) {
      try {
        await this.checkStreams();
        break;
      } catch (error) {
        if (!(error instanceof RetryableError) || performance.now() > giveUpAtMs) throw error;
        this.parts.log(`the streams are asked for again: ${error.message}`);
        await Bun.sleep(LOOK_MS);
      }
    }
    this.schedule();
  }

  /** The error to answer with while no event can be accepted, else null. */
  refusal(): RetryableError | null {
    if (!this.parts.bus.isConnected) return new RetryableError("broker_unavailable", "the message broker is away");
    // After a reconnect the streams may be others than before, whose frames would never be read.
    if (this.current === null || this.isLeaving || this.checkNeeded) {
      return new RetryableError("streams_unavailable", "the event streams are being prepared");
    }
    return this.parts.disk.check();
  }

  /**
   * What is wrong with a broker that is connected and acknowledges nothing, else null. Events are sent all the same: no other sign tells that it
   * is well again.
   */
  silence(): string | null {
    const unansweredMs = this.current?.publisher.unansweredMs ?? 0;
    if (unansweredMs < SILENT_MS) return null;
    return `the message broker has acknowledged nothing for ${Math.floor(unansweredMs / 1000)} s`;
  }

  /** Throws the refusal, where there is one. */
  private ready(): Current {
    const refusal = this.refusal();
    if (refusal !== null) throw refusal;
    return this.open();
  }

  private open(): Current {
    if (this.current !== null) return this.current;
    throw new RetryableError("streams_unavailable", "the event streams are being prepared");
  }

  async publish(batch: PublishBatch): Promise<void> {
    this.ready();
    await this.groupTypes.note(batch);
    try {
      await this.open().publisher.publish(batch);
    } catch (error) {
      if (error instanceof RetryableError) this.react(error);
      throw error;
    }
  }

  private react(error: RetryableError): void {
    if (error.code === "stream_full") this.current?.purger?.hurry();
    if (error.code === "sequence_went_back") {
      this.parts.log("ALARM: the broker counts backwards: it has lost acknowledged frames. Opening a new generation");
      this.wentBack = true;
    }
  }

  /** Where the events of a project are, and why no more are taken in now. Throws RetryableError. */
  async status(teamId: number): Promise<IngestionStatus & { refusal: string | null }> {
    const { queue, generation } = this.open();
    const status = await ingestionStatus({ catalog: this.parts.catalog, queue, generation }, teamId, Date.now());
    return { ...status, refusal: this.refusal()?.message ?? null };
  }

  /** The same of the whole installation. Throws RetryableError. */
  async installation(): Promise<InstallationStatus> {
    const { bus, catalog, disk } = this.parts;
    const { queue: reader, generation } = this.open();
    return readInstallation({ bus, catalog, queue: { reader, generation }, disk: disk.room }, Date.now());
  }

  /** What the history keeps of this moment. Throws RetryableError. */
  async figures() {
    const { queue, generation } = this.open();
    const { bus, catalog, disk } = this.parts;
    const workers = (await bus.members()).length;
    return { ...(await ingestionStatuses({ catalog, queue, generation }, Date.now())), workers, disk: disk.room };
  }

  /**
   * Puts persons or groups on the identity lane and waits until they are committed. Throws RetryableError `identity_timeout` when that
   * takes too long: it will happen still.
   */
  async import(teamId: number, told: readonly (PersonImport | GroupImport)[], nowMs: number): Promise<void> {
    const { publisher, generation } = this.ready();
    const requests = told.map((one) => importRequest({ teamId, uuid: crypto.randomUUID(), nowMs }, one));
    const { partition, sequence } = await publisher.publishIdentity(teamId, requests);
    const deadlineMs = performance.now() + IDENTITY_TIMEOUT_MS;
    while (performance.now() < deadlineMs) {
      const positions = await this.parts.catalog.committedPositions(generation);
      const identity = positions.find((p) => p.lane === "identity" && p.partition === partition);
      // A generation that is gone was settled to its end.
      if (identity === undefined || identity.position >= sequence) return;
      await Bun.sleep(IDENTITY_LOOK_MS);
    }
    throw new RetryableError(
      "identity_timeout",
      `what was imported was not committed within ${IDENTITY_TIMEOUT_MS} ms`,
    );
  }

  /** Sends a dead letter in again; false when the project has none of this id that waits. */
  async redrive(teamId: number, id: number): Promise<boolean> {
    const { publisher } = this.ready();
    const { catalog } = this.parts;
    const letter = await catalog.findDeadLetter(id, teamId);
    if (letter === null || letter.redrivenAtMs !== null) return false;
    await redrive({ catalog, publisher }, letter, Date.now());
    return true;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.looking;
    this.setCurrent(null);
  }

  private schedule(): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.looking = this.look().finally(() => this.schedule());
    }, LOOK_MS);
  }

  private async look(): Promise<void> {
    try {
      await this.parts.disk.look();
      if (!this.parts.bus.isConnected) return;
      if (this.wentBack) await this.giveUpGeneration();
      if (this.checkNeeded || !(await this.isCurrent())) await this.checkStreams();
      await this.purge();
    } catch (error) {
      this.parts.log(`looking after the streams: ${describeError(error)}`);
    }
  }

  private async purge(): Promise<void> {
    const purger = this.current?.purger;
    const endsAtMs = performance.now() + HURRIED_MS;
    do await purger?.look();
    while (purger?.isHurried && performance.now() < endsAtMs);
  }

  private async checkStreams(): Promise<void> {
    const { bus, catalog, config, log } = this.parts;
    const { connections } = this;
    const check = await checkGeneration(bus, catalog, config);
    this.checkedConnection = connections;
    if (check.state === "draining") {
      if (this.current !== null)
        log("the streams are given up: workers store what is in them, then new ones are opened");
      await this.leave();
      return;
    }
    const { generation, partitions } = check.open;
    if (this.current?.generation === generation) {
      if (!this.checkNeeded) this.current.publisher.resume();
      return;
    }
    await this.leave();
    const lowest = await this.lowestPositions(generation);
    const queue = await bus.queue({ generation, lanes: LANES, fromSequence: lowest });
    const publisher = bus.publisher({ ...config, inTurns, generation, partitions, waitsForLook: true });
    this.setCurrent({
      generation,
      partitions,
      queue,
      publisher,
      purger: this.parts.purges ? new Purger({ bus, catalog, queue, generation }) : null,
    });
    log(`generation ${generation} is open with ${partitions} partitions`);
  }

  private get checkNeeded(): boolean {
    return this.checkedConnection !== this.connections;
  }

  /** Whether the generation is still open: another front may have begun to drain it. */
  private async isCurrent(): Promise<boolean> {
    if (this.current === null) return false;
    const known = await this.parts.catalog.currentGeneration();
    return known?.state === "open" && known.generation === this.current.generation;
  }

  private async giveUpGeneration(): Promise<void> {
    if (this.current !== null) await this.parts.catalog.drainGeneration(this.current.generation);
    this.wentBack = false;
    this.checkedConnection = -1;
  }

  /** Leaves the generation in use. What its streams have taken before they refused is still answered with 200. */
  private async leave(): Promise<void> {
    if (this.current === null) return;
    const { publisher } = this.current;
    this.isLeaving = true;
    const deadlineMs = performance.now() + LEAVE_TIMEOUT_MS;
    while (publisher.inflightBytes > 0 && this.parts.bus.isConnected && performance.now() < deadlineMs) {
      await Bun.sleep(LEAVE_LOOK_MS);
    }
    this.setCurrent(null);
    this.isLeaving = false;
  }

  private setCurrent(next: Current | null): void {
    this.current?.queue.close();
    this.current?.publisher.close();
    this.current = next;
  }

  private async lowestPositions(generation: number): Promise<(lane: Lane) => number> {
    const positions = await this.parts.catalog.committedPositions(generation);
    return (lane) => Math.min(...positions.filter((p) => p.lane === lane).map((p) => p.position));
  }
}
