import type { ConsumerConfig, ConsumerInfo } from "@nats-io/jetstream";
import type { Link } from "../link/link.ts";
import { untilAnswered } from "../link/untilAnswered.ts";

/**
 * A consumer in the making. A cluster may give it to a server that is down: nats-server 2.9.10 picks one by chance, newer ones do until they take that
 * server for gone. So others are asked for beside it, and the first to be made is taken.
 */
export class NewConsumer {
  /** Throws RetryableError `broker_unavailable`, TerminalError `broker_refused`. */
  readonly made: Promise<ConsumerInfo>;
  #taken: string | null = null;
  #isClosed = false;

  constructor(
    private readonly link: Link,
    private readonly stream: string,
    private readonly config: Partial<ConsumerConfig>,
  ) {
    const ask = () => this.#ask();
    this.made = link.isCluster ? untilAnswered(ask, () => this.#isClosed) : ask();
  }

  /** Null until it is made. */
  get name(): string | null {
    return this.#taken;
  }

  /** The broker forgets it; by itself, minutes later, where nothing answers. */
  close(): void {
    this.#isClosed = true;
    if (this.#taken !== null) this.#forget(this.#taken);
  }

  async #ask(): Promise<ConsumerInfo> {
    const name = crypto.randomUUID();
    try {
      const info = await this.link.api((jsm) => jsm.consumers.add(this.stream, { ...this.config, name }));
      if (this.#taken === null && !this.#isClosed) this.#taken = name;
      return info;
    } finally {
      // One that was given up may still be made, by a server that comes back.
      if (this.#taken !== name) this.#forget(name);
    }
  }

  /** A second time changes nothing. */
  #forget(name: string): void {
    const { link, stream } = this;
    if (link.isConnected) link.again((jsm) => jsm.consumers.delete(stream, name)).catch(() => {});
  }
}
