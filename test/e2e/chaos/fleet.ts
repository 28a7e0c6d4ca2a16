import { HandWorker } from "../../support/handWorker.ts";
import { HANG_MS, isRunning, until } from "../../support/processes.ts";
import type { Random } from "../../support/random.ts";
import type { Role, Weir } from "../../support/weir.ts";

export const FAULTS = ["own worker", "worker by hand", "front", "supervisor", "broker"] as const;
export type Fault = (typeof FAULTS)[number];

const OWN_WORKERS = 2;
const HAND_WORKERS = 2;
/** They hold no event back when they die; one of them goes in every round too. */
const BYSTANDERS: Role[] = ["compactor", "api", "query-0"];

/** Settings of the Weir that the workers by hand stand beside. */
export const FLEET_ENV = { WEIR_WORKERS: String(OWN_WORKERS) };

/** The processes of a Weir with workers that come and go by hand. */
export class Fleet {
  private readonly byHand: HandWorker[] = [];

  constructor(
    private readonly weir: Weir,
    private readonly random: Random,
  ) {
    for (let i = 0; i < HAND_WORKERS; i++) this.join();
  }

  /** One round: a kill -9 of a kind, and of a bystander; a worker leaves and another joins. Gives the time of the kill. */
  async disturb(fault: Fault): Promise<number> {
    const stillborn = this.byHand.filter((worker) => !worker.isRunning && !hasBegun(worker));
    for (const worker of stillborn) this.byHand.splice(this.byHand.indexOf(worker), 1, this.start());
    const leaving = this.byHand.shift()!;
    const left = leaving.stop();
    this.join();
    await Bun.sleep(this.random.int(0, 500));
    const atMs = performance.now();
    await this.strike(fault);
    await this.kill(this.random.pick(BYSTANDERS));
    const code = await left;
    if (code !== 0 && hasBegun(leaving))
      throw new Error(`a worker that was asked to leave ended with ${code}:\n${leaving.output}`);
    return atMs;
  }

  private async strike(fault: Fault): Promise<void> {
    if (fault === "own worker") return this.kill(`worker-${this.random.int(0, OWN_WORKERS - 1)}`);
    if (fault === "broker") return this.kill("nats-server");
    if (fault === "front") return this.kill("front");
    if (fault === "supervisor") {
      await this.kill("main");
      return this.weir.start();
    }
    const [victim] = this.byHand.splice(this.random.int(0, this.byHand.length - 1), 1);
    victim!.kill("SIGKILL");
    this.join();
  }

  private async kill(role: Role): Promise<void> {
    await until(`${role} to run`, HANG_MS, () => this.weir.isRunning(role), 5);
    const pid = this.weir.kill9(role);
    await until(`${role} to die`, HANG_MS, () => !isRunning(pid), 5);
  }

  private join(): void {
    this.byHand.push(this.start());
  }

  private start(): HandWorker {
    return new HandWorker({ dataDir: this.weir.dataDir });
  }

  /** Workers by hand that have ended without being asked to, with what they said. */
  get dead(): string[] {
    return this.byHand.filter((worker) => !worker.isRunning && hasBegun(worker)).map((worker) => worker.output);
  }

  async leave(): Promise<void> {
    await Promise.all(this.byHand.splice(0).map((worker) => worker.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.byHand.splice(0).map((worker) => worker[Symbol.asyncDispose]()));
  }
}

/** One that meets no broker when it is started says so and ends; it has nothing to hand over. */
function hasBegun(worker: HandWorker): boolean {
  return worker.output.includes("owns partitions");
}
