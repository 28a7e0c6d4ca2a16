import type { Random } from "../support/random.ts";
import type { Front } from "./front.ts";
import type { Universe } from "./universe.ts";
import type { SimRequest } from "./workload.ts";

const ANSWER_TIMEOUT_MS = 2_500;
const THINK_MAX_MS = 200;

/** Sends its requests one after the other; one that was not accepted comes again as a whole, with the same uuids. */
export class Client {
  isDone = false;
  /** In order, without those that it gave up. */
  readonly acknowledged: SimRequest[] = [];

  constructor(
    private readonly universe: Universe,
    private readonly front: () => Front,
    readonly requests: readonly SimRequest[],
    private readonly random: Random,
  ) {
    void this.run();
  }

  private async run(): Promise<void> {
    const { scheduler, trouble } = this.universe;
    for (const request of this.requests) {
      await scheduler.sleep(null, this.random.int(0, THINK_MAX_MS));
      if (!(await this.sendUntilAccepted(request))) continue;
      this.acknowledged.push(request);
      if (request.lane === "identity") continue;
      if (trouble.draw("client sent again")) await this.send(request);
      if (trouble.draw("client sent again on another lane")) {
        await this.send({ ...request, lane: request.lane === "live" ? "history" : "live" });
      }
    }
    this.isDone = true;
  }

  private async sendUntilAccepted(request: SimRequest): Promise<boolean> {
    while (!(await this.send(request))) {
      if (this.universe.trouble.draw("client gave up")) return false;
      await this.universe.scheduler.sleep(null, this.random.int(10, 150));
    }
    return true;
  }

  /** Whether it was accepted; false too when no answer comes. */
  private send(request: SimRequest): Promise<boolean> {
    const { scheduler, log } = { scheduler: this.universe.scheduler, log: this.universe.log.bind(this.universe) };
    const { promise, resolve } = Promise.withResolvers<boolean>();
    scheduler.after(ANSWER_TIMEOUT_MS, null, () => resolve(false));
    scheduler.after(scheduler.delayMs(), null, () => {
      const front = this.front();
      front.accept(request).then(
        () => scheduler.after(scheduler.delayMs(), null, () => resolve(true)),
        (error: Error) => {
          log(front.process.name, `refuses: ${error.message}`);
          scheduler.after(scheduler.delayMs(), null, () => resolve(false));
        },
      );
    });
    return promise;
  }
}
