import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  DiscardPolicy,
  type JsMsg,
  jetstream,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { describeError, RetryableError } from "../../types/mod.ts";
import { ApiError, apiErrorCode, type Link, unavailable } from "../link/link.ts";
import { assertConfig, hasReplicas, makeStream, replicasOf } from "../link/streams.ts";

const NANOS_PER_MS = 1_000_000;
/** A bound that reserves no room, as bytes would. */
const MAX_TASKS = 10_000;
const DUPLICATE_WINDOW_MS = 60_000;
/** A pull that finds nothing waits so long at the broker. */
const PULL_EXPIRES_MS = 30_000;
/** Of a cluster: a pull is lost with the server that leads the queue, and the connection to another server does not tell. */
const CLUSTER_PULL_EXPIRES_MS = 3_000;
/** The shortest that the client library allows. */
const PULL_ONCE_MS = 1_000;
const BACK_OFF_MS = 500;
/** A queue that another process has just made may not answer yet; the id keeps a second try from counting twice. */
const PUBLISH_TRIES = 3;
/** Heartbeats in the time after which a silent task is given to another. */
const BEATS_PER_ACK_WAIT = 3;

/** A task in hand. */
export interface Task {
  payload: string;
  /** 1 the first time; more when an earlier process died, hung or gave it back. */
  deliveries: number;
}

/** `done` forgets the task; `again` gives it, after a pause, to the next process that asks. */
export type TaskOutcome = { kind: "done" } | { kind: "again"; pauseMs: number };

/**
 * Tasks that any process may put in and any process may take; each is done at least once, in about the order of its
 * putting in. A task whose process died is given to another after `ackWaitMs`.
 */
export interface WorkQueue {
  /** Durable when it resolves. To a single broker the same id within a minute is the same task (protocol rule 3). Throws RetryableError `broker_unavailable` | `work_queue_full`. */
  put(id: string, payload: string): Promise<void>;
  /** Takes tasks, `concurrency` at once, until the returned function is called; that waits for those in hand. */
  work(concurrency: number, handle: (task: Task) => Promise<TaskOutcome>): () => Promise<void>;
  /** Takes one task beside those of `work`, where one waits, and resolves when it is in nobody's hand any more. */
  workOnce(handle: (task: Task) => Promise<TaskOutcome>): Promise<void>;
}

export interface WorkQueueOptions {
  /** Letters, digits, - and _. */
  name: string;
  ackWaitMs: number;
  /** Tasks that no process took for so long are forgotten. */
  maxAgeMs: number;
  log(message: string): void;
}

export class JetStreamWorkQueue implements WorkQueue {
  readonly #link: Link;
  readonly #o: WorkQueueOptions;
  readonly #stream: string;
  readonly #subject: string;
  #consumer: Promise<Consumer> | null = null;

  constructor(link: Link, options: WorkQueueOptions) {
    this.#link = link;
    this.#o = options;
    this.#stream = `WEIR_WORK_${options.name}`;
    this.#subject = `work.${options.name}`;
  }

  async put(id: string, payload: string): Promise<void> {
    await this.#ready();
    try {
      await this.#link.api(() =>
        jetstream(this.#link.nc).publish(this.#subject, payload, {
          ...(!this.#link.isCluster && { msgID: id }),
          retries: PUBLISH_TRIES,
        }),
      );
    } catch (error) {
      if (apiErrorCode(error) === ApiError.streamFull) {
        throw new RetryableError("work_queue_full", "Too many tasks are waiting", { cause: error });
      }
      // The stream may be gone; the next attempt makes it again.
      this.#consumer = null;
      throw error instanceof RetryableError ? error : unavailable(describeError(error));
    }
  }

  work(concurrency: number, handle: (task: Task) => Promise<TaskOutcome>): () => Promise<void> {
    const stopped = Promise.withResolvers<null>();
    let isStopped = false;
    const loop = async (): Promise<void> => {
      while (!isStopped) {
        // A pull that is left behind ends by itself; a task it brings is given to another after the wait.
        const message = await Promise.race([this.#next(() => isStopped), stopped.promise]);
        if (message !== null) await this.#run(message, handle);
      }
    };
    const loops = Array.from({ length: concurrency }, loop);
    return async () => {
      isStopped = true;
      stopped.resolve(null);
      await Promise.all(loops);
    };
  }

  async workOnce(handle: (task: Task) => Promise<TaskOutcome>): Promise<void> {
    const message = await this.#next(() => false, PULL_ONCE_MS);
    if (message !== null) await this.#run(message, handle);
  }

  /** The next task, or null when there was none for a while. */
  async #next(isStopped: () => boolean, expires = this.#pullExpiresMs): Promise<JsMsg | null> {
    try {
      const consumer = await this.#ready();
      const message = await consumer.next({ expires });
      if (!isStopped()) return message;
      message?.nak();
      return null;
    } catch (error) {
      this.#consumer = null;
      if (!isStopped() && this.#link.isConnected) this.#o.log(`taking a task: ${describeError(error)}`);
      await Bun.sleep(BACK_OFF_MS);
      return null;
    }
  }

  async #run(message: JsMsg, handle: (task: Task) => Promise<TaskOutcome>): Promise<void> {
    const beat = setInterval(() => message.working(), this.#o.ackWaitMs / BEATS_PER_ACK_WAIT);
    try {
      const outcome = await handle({ payload: message.string(), deliveries: message.info.deliveryCount });
      if (outcome.kind === "done") message.ack();
      else message.nak(outcome.pauseMs);
    } catch (error) {
      this.#o.log(`a task failed, and is tried again: ${describeError(error)}`);
      message.nak(BACK_OFF_MS);
    } finally {
      clearInterval(beat);
    }
  }

  get #pullExpiresMs(): number {
    return this.#link.isCluster ? CLUSTER_PULL_EXPIRES_MS : PULL_EXPIRES_MS;
  }

  #ready(): Promise<Consumer> {
    if (!this.#link.isConnected) return Promise.reject(unavailable());
    this.#consumer ??= this.#open().catch((error) => {
      this.#consumer = null;
      throw error;
    });
    return this.#consumer;
  }

  async #open(): Promise<Consumer> {
    await this.#ensureStream();
    const config = {
      durable_name: "workers",
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: this.#o.ackWaitMs * NANOS_PER_MS,
      // How often a task may be tried is decided by the room that owns the task.
      max_deliver: -1,
      max_ack_pending: MAX_TASKS,
    };
    // Made a second time it is the same.
    await this.#link.again((jsm) => jsm.consumers.add(this.#stream, config));
    return this.#link.again(() => jetstream(this.#link.nc).consumers.get(this.#stream, config.durable_name));
  }

  async #ensureStream(): Promise<void> {
    const wanted = {
      name: this.#stream,
      subjects: [this.#subject],
      storage: StorageType.File,
      retention: RetentionPolicy.Workqueue,
      discard: DiscardPolicy.New,
      max_msgs: MAX_TASKS,
      max_age: this.#o.maxAgeMs * NANOS_PER_MS,
      duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
      ...replicasOf(this.#link),
    } satisfies Partial<StreamConfig>;
    let info = await makeStream(this.#link, wanted);
    if (!hasReplicas(this.#link, info)) info = await this.#link.api((jsm) => jsm.streams.update(this.#stream, wanted));
    assertConfig(wanted, info.config);
  }
}
