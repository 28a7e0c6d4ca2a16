import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "../support/processes.ts";

interface Pair {
  near: Socket;
  /** Null until the far side is dialled. */
  far: Socket | null;
}

/**
 * A TCP connection's way through this process, on loopback, at a port that stays. `cut` ends what there is and refuses what comes, as where
 * nobody listens any more. `stall` lets nothing through and ends nothing, as a network does that loses packets: what was sent arrives after
 * `heal`. `holdAnswers` lets through what the near side sends, and nothing back until `heal`.
 */
export class Relay {
  /** Connections that were ended or refused while it was cut. */
  refused = 0;
  private state: "open" | "cut" | "stalled" | "unanswered" = "open";
  private readonly pairs = new Set<Pair>();
  private readonly server: Server;

  private constructor(
    readonly port: number,
    private readonly target: number,
  ) {
    this.server = createServer({ pauseOnConnect: true }, (near) => this.accept(near));
  }

  static async to(target: number): Promise<Relay> {
    const relay = new Relay(await freePort(), target);
    await new Promise<void>((resolve) => relay.server.listen(relay.port, "127.0.0.1", resolve));
    return relay;
  }

  get connections(): number {
    return this.pairs.size;
  }

  cut(): void {
    this.state = "cut";
    this.refused += this.pairs.size;
    for (const pair of this.pairs) this.end(pair);
  }

  stall(): void {
    this.state = "stalled";
    for (const { near, far } of this.pairs) {
      near.pause();
      far?.pause();
    }
  }

  holdAnswers(): void {
    this.state = "unanswered";
    for (const { far } of this.pairs) far?.pause();
  }

  heal(): void {
    this.state = "open";
    for (const pair of this.pairs) {
      if (pair.far === null) this.dial(pair);
      else pair.far.resume();
      pair.near.resume();
    }
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(near: Socket): void {
    if (this.state === "cut") {
      this.refused++;
      near.destroy();
      return;
    }
    const pair: Pair = { near, far: null };
    this.pairs.add(pair);
    near.on("error", () => {}).on("close", () => this.end(pair));
    if (this.state !== "stalled") {
      this.dial(pair);
      near.resume();
    }
  }

  private dial(pair: Pair): void {
    const far = connect(this.target, "127.0.0.1");
    pair.far = far;
    far.on("error", () => {}).on("close", () => this.end(pair));
    this.pass(pair.near, far, ["open", "unanswered"]);
    this.pass(far, pair.near, ["open"]);
    if (this.state === "unanswered") far.pause();
  }

  private pass(from: Socket, to: Socket, states: readonly Relay["state"][]): void {
    from.on("data", (bytes) => {
      if (!to.write(bytes)) from.pause();
    });
    to.on("drain", () => {
      if (states.includes(this.state)) from.resume();
    });
    from.on("end", () => to.end());
  }

  private end(pair: Pair): void {
    this.pairs.delete(pair);
    pair.near.destroy();
    pair.far?.destroy();
  }
}
