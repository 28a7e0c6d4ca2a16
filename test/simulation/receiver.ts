import type { WaitingMessage } from "../../src/lake/mod.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

/** Somebody outside who gets the messages of actors. */
export class Receiver {
  /** Everything that has arrived, copies too. */
  readonly arrived: WaitingMessage[] = [];

  constructor(private readonly universe: Universe) {}

  async deliver(process: Process, message: WaitingMessage): Promise<void> {
    const { scheduler, trouble } = this.universe;
    await scheduler.point(process);
    if (trouble.draw("outbox delivery failed")) throw new Error("nobody answers");
    this.arrived.push(message);
    if (trouble.draw("outbox answer lost")) throw new Error("the answer is lost");
    await scheduler.point(process);
  }
}
