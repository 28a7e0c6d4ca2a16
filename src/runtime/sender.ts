import type { Catalog, WaitingMessage } from "../lake/mod.ts";
import { describeError } from "../types/mod.ts";
import type { World } from "./world.ts";

interface SenderParts {
  catalog: Pick<Catalog, "dueMessages" | "removeMessage" | "delayMessage">;
  /** Partitions whose messages it may send: those that its worker owns now. */
  partitions(): readonly number[];
  /** Delivers one message; throws when it did not arrive. The same message may come again. */
  deliver(message: WaitingMessage): Promise<void>;
  world: World;
  log(message: string): void;
}

const LOOK_MS = 250;
const BATCH = 50;
const PAUSE_FIRST_MS = 1_000;
const PAUSE_LONGEST_MS = 300_000;
/** With the pauses above, about a day. */
const MAX_ATTEMPTS = 300;

/**
 * Sends what actors have put into the outbox, in the order of its source for each partition and target (protocol rule 14).
 * At least once: the receiver knows a copy by the message's id.
 */
export class Sender {
  private stopping = false;

  constructor(private readonly parts: SenderParts) {}

  /** Runs until `stop`. */
  async run(): Promise<void> {
    while (!this.stopping) {
      const sent = await this.round().catch((error) => {
        this.parts.log(`the outbox cannot be read: ${describeError(error)}`);
        return 0;
      });
      if (sent === 0) await this.parts.world.sleep(LOOK_MS);
    }
  }

  stop(): void {
    this.stopping = true;
  }

  /** Sends what is due; gives how many have arrived. */
  async round(): Promise<number> {
    const { catalog, partitions } = this.parts;
    const due = await catalog.dueMessages(partitions(), BATCH);
    const arrived = await Promise.all(due.map((message) => this.send(message)));
    return arrived.filter((did) => did).length;
  }

  private async send(message: WaitingMessage): Promise<boolean> {
    const { catalog, deliver, log } = this.parts;
    try {
      await deliver(message);
    } catch (error) {
      if (message.attempts + 1 >= MAX_ATTEMPTS) {
        log(`message ${message.messageId} is given up after ${MAX_ATTEMPTS} attempts: ${describeError(error)}`);
        await catalog.removeMessage(message.id);
      } else {
        const pauseMs = Math.min(PAUSE_LONGEST_MS, PAUSE_FIRST_MS * 2 ** Math.min(message.attempts, 20));
        await catalog.delayMessage(message.id, pauseMs);
      }
      return false;
    }
    await catalog.removeMessage(message.id);
    return true;
  }
}
