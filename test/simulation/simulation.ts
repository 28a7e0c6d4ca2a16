import { ACTORS } from "../../actors/mod.ts";
import { type Catalog, eraseProjects, openCatalog } from "../../src/lake/mod.ts";
import { noteDefinitions } from "../../src/metadata/mod.ts";
import { Sender } from "../../src/runtime/sender.ts";
import { Worker } from "../../src/runtime/worker.ts";
import { describeError } from "../../src/types/mod.ts";
import { checkEverything } from "./check/mod.ts";
import { Client } from "./client.ts";
import { SimCompactor } from "./compactor.ts";
import { SimDuplicates, SimWriter } from "./disk.ts";
import type { Fault, FaultCounts } from "./faults.ts";
import { Front } from "./front.ts";
import { SimMembership } from "./members.ts";
import { Violation } from "./observer.ts";
import type { Plant } from "./plant.ts";
import { probeActor } from "./probeActor.ts";
import { SimReader } from "./reader.ts";
import { Receiver } from "./receiver.ts";
import { Process } from "./scheduler.ts";
import { SimDb } from "./store.ts";
import { Universe } from "./universe.ts";
import { makeWorkload, TEAMS } from "./workload.ts";

export interface Outcome {
  seed: number;
  faults: FaultCounts;
  /** The promise that was broken, or null. */
  violation: string | null;
  workers: number;
  events: number;
  steps: number;
  trace: string[];
}

const LEASE_TTL_MS = 500;
const LIMITS = {
  flushMs: 30,
  historyFlushMs: 60,
  flushMaxEvents: 12,
  flushMaxBytes: 1_000,
  mergesMax: 10,
  leaseTtlMs: LEASE_TTL_MS,
  readBufferBytes: { events: 1_000, merges: 1_000 },
  knownPersonsMax: 8,
  definitionsMax: 20,
};
/** Long after the last fault, and far beyond what draining takes. */
const DEADLINE_MS = 120_000;
/** Polls that find nothing to do need not be as frequent as real ones. */
const IDLE_SLEEP_MS = 60;
/** Nor as frequent as that, where nothing has come since the last one that found nothing. */
const QUIET_SLEEP_MS = 300;

/** One run: processes work while things go wrong, then everything heals, drains and is compared with the model. */
export function simulate(seed: number, o: { isTraced?: boolean; plant?: Plant } = {}): Outcome {
  const plant = o.plant ?? {};
  return new Simulation(new Universe(seed, o.isTraced ?? false, plant.storeFault), plant).run();
}

class Simulation {
  private readonly receiver: Receiver;
  private readonly clients: Client[];
  private readonly workers: { worker: Worker; sender: Sender; process: Process }[] = [];
  private readonly fronts: Front[] = [];
  private readonly compactors: Process[] = [];
  private workersMade = 0;
  private compactorsMade = 0;
  private frontsMade = 0;
  private faultsLeft = 0;
  private isDrained = false;

  constructor(
    private readonly universe: Universe,
    private readonly plant: Plant,
  ) {
    const { random, scheduler, faults } = universe;
    this.receiver = new Receiver(universe);
    for (let i = random.int(1, 2); i > 0; i--) this.startFront();
    const workload = makeWorkload(random.fork(), scheduler.nowMs, faults);
    this.clients = workload.map(
      (requests) => new Client(universe, () => random.pick(this.fronts), requests, random.fork()),
    );
    const workers = random.int(2, 3);
    for (let i = 0; i < workers; i++) this.startWorker();
    for (let i = random.int(1, 3); i > 0; i--) this.startCompactor();
    this.planFaults(random.int(3, 6));
    this.watchForEnd();
  }

  run(): Outcome {
    const { universe } = this;
    const { scheduler, observer } = universe;
    try {
      const isOver = scheduler.run(() => this.isDrained || observer.violation !== null, scheduler.nowMs + DEADLINE_MS);
      if (!isOver) observer.report(`does not come to rest: ${this.unfinished()}`);
      if (observer.violation === null) checkEverything(universe, this.clients, this.receiver);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      observer.violation ??= error.message;
    }
    for (const id of [...universe.disk.files.keys()]) universe.disk.remove(id);
    universe.faults.add("file torn", universe.disk.torn);
    const events = this.clients.flatMap(({ requests }) => requests.flatMap((request) => request.events)).length;
    const { seed, faults, trace } = universe;
    return {
      seed,
      faults,
      violation: observer.violation,
      workers: this.workersMade,
      events,
      steps: scheduler.steps,
      trace,
    };
  }

  private startFront(): void {
    const { universe, plant } = this;
    const name = `front${this.frontsMade++}`;
    const front = new Front(universe, name, plant.front ?? {}, () => {
      universe.log(name, "dies");
      universe.scheduler.after(universe.random.int(50, 400), null, () => {
        this.fronts.splice(this.fronts.indexOf(front), 1);
        this.startFront();
      });
    });
    this.fronts.push(front);
  }

  private startWorker(): void {
    const { universe, receiver, plant } = this;
    const { scheduler, random } = universe;
    const name = `worker-${this.workersMade++}`;
    const log = (text: string) => universe.log(name, text);
    const process = new Process(name, () => {
      log("dies");
      this.workers.splice(
        this.workers.findIndex((one) => one.process === process),
        1,
      );
      // A supervisor tells its other workers; one by hand has none.
      if (random.chance(0.5)) this.tellOfEnd(name);
      scheduler.after(random.int(50, 600), null, () => this.startWorker());
    });
    let stirs = 0;
    const world = {
      nowMs: () => scheduler.nowMs,
      steadyMs: () => scheduler.nowMs,
      sleep: (ms: number) => {
        const isQuiet = ms < IDLE_SLEEP_MS && process.stirs === stirs;
        stirs = process.stirs;
        const pauseMs = Math.max(ms, random.int(0, IDLE_SLEEP_MS));
        return isQuiet ? scheduler.nap(process, pauseMs, QUIET_SLEEP_MS) : scheduler.sleep(process, pauseMs);
      },
      newId: () => random.uuid(),
    };
    const opened = openCatalog(new SimDb(universe, process), noteDefinitions);
    const catalog: Catalog = plant.catalog?.(opened, universe, process, receiver) ?? opened;
    const duplicates = plant.duplicates?.(universe, process) ?? new SimDuplicates(universe, process);
    const actors = plant.actors?.(ACTORS) ?? ACTORS;
    const worker = new Worker({
      id: name,
      catalog,
      bus: {
        join: (o) => new SimMembership(universe, process, o).begin(),
        onConnection: (listener) =>
          universe.broker.listen((change) => {
            if (typeof change !== "string" || !process.isAlive) return;
            process.stir();
            listener(change === "up");
          }),
        reader: (o) => plant.reader?.(universe, process, o) ?? new SimReader(universe, process, o),
      },
      writer: plant.writer?.(universe, process, duplicates) ?? new SimWriter(universe, process),
      duplicates,
      world,
      actors: [...actors, probeActor(() => process.kill())],
      limits: LIMITS,
      log,
    });
    const sender = new Sender({
      catalog,
      partitions: () => worker.partitions,
      deliver: (message) => receiver.deliver(process, message),
      world,
      log,
    });
    this.workers.push({ worker, sender, process });
    void sender.run();
    worker.run().then(
      () => process.kill(),
      (error) => {
        log(`ends: ${describeError(error)}`);
        process.kill();
      },
    );
  }

  private startCompactor(): void {
    const { universe, plant, compactors } = this;
    const name = `compactor-${this.compactorsMade++}`;
    const process = new Process(name, () => {
      universe.log(name, "dies");
      compactors.splice(compactors.indexOf(process), 1);
      universe.scheduler.after(universe.random.int(50, 600), null, () => this.startCompactor());
    });
    compactors.push(process);
    const opened = openCatalog(new SimDb(universe, process));
    const catalog = plant.compactorCatalog?.(opened, universe) ?? opened;
    void new SimCompactor(universe, process, catalog).run();
  }

  private withCompactor(what: (process: Process) => void): boolean {
    if (this.compactors.length === 0) return false;
    what(this.universe.random.pick(this.compactors));
    return true;
  }

  private tellOfEnd(name: string): void {
    const { random, scheduler, faults } = this.universe;
    faults.add("worker's end told");
    for (const { worker, process } of this.workers)
      scheduler.after(random.int(0, 20), process, () => {
        worker.expel([name]);
        process.stir();
      });
  }

  private planFaults(count: number): void {
    const { random, scheduler } = this.universe;
    this.faultsLeft = count;
    for (let i = 0; i < count; i++) {
      scheduler.after(random.int(50, 3_000), null, () => {
        this.strike();
        this.faultsLeft--;
      });
    }
  }

  private strike(): void {
    const { universe } = this;
    const { random, scheduler, broker } = universe;
    const strikes: [Fault, () => boolean][] = [
      ["worker killed", () => this.withWorker((process) => process.kill())],
      [
        "worker killed in the middle of a flush",
        () =>
          this.withWorker((process) => {
            process.pointsToLive = random.int(0, 30);
          }),
      ],
      [
        "worker killed in the middle of a flush",
        () =>
          this.withWorker((process) => {
            process.pointsToLive = random.int(0, 30);
          }),
      ],
      [
        "worker paused past its lease",
        () =>
          this.withWorker((process) => {
            process.pausedUntilMs = scheduler.nowMs + LEASE_TTL_MS + random.int(100, 1_500);
          }),
      ],
      ["compactor killed", () => this.withCompactor((process) => process.kill())],
      [
        "compactor killed in the middle of a job",
        () =>
          this.withCompactor((process) => {
            process.pointsToLive = random.int(0, 30);
          }),
      ],
      [
        "worker joined",
        () => {
          this.startWorker();
          return true;
        },
      ],
      [
        "worker left",
        () => {
          if (this.workers.length === 0) return false;
          const { worker, process } = random.pick(this.workers);
          worker.stop();
          process.stir();
          return true;
        },
      ],
      [
        "front killed",
        () => {
          random.pick(this.fronts).process.kill();
          return true;
        },
      ],
      [
        "broker killed",
        () => {
          if (!broker.isUp) return false;
          broker.kill();
          scheduler.after(random.int(50, 1_500), null, () => broker.start());
          return true;
        },
      ],
      ["project deleted", () => this.deleteProject()],
      ["broker put back", () => this.restoreBroker(() => broker.putBack())],
      ["stream made anew", () => this.restoreBroker(() => broker.makeAnew())],
      [
        "broker clock set back",
        () => {
          broker.clockAheadMs -= random.int(100, 5_000);
          return true;
        },
      ],
    ];
    const [fault, happen] = random.pick(strikes);
    if (happen()) {
      universe.faults.add(fault);
      universe.log("fault", fault);
    } else this.strike();
  }

  private deleteProject(): boolean {
    const { universe } = this;
    if (universe.deletedTeamId !== null) return false;
    const teamId = TEAMS[1];
    universe.deletedTeamId = teamId;
    void universe.store.transaction((tx) => eraseProjects(tx, [teamId], universe.scheduler.nowMs), "commit");
    return true;
  }

  private withWorker(what: (process: Process) => void): boolean {
    if (this.workers.length === 0) return false;
    what(this.universe.random.pick(this.workers).process);
    return true;
  }

  /** Everything stands still, the broker's files are other ones, everything starts. */
  private restoreBroker(change: () => void): boolean {
    const { broker, scheduler, random } = this.universe;
    if (!broker.isUp) return false;
    broker.backUp();
    scheduler.after(random.int(0, 800), null, () => {
      if (!broker.isUp) return;
      broker.kill();
      change();
      for (const { process } of [...this.workers]) process.kill();
      for (const { process } of [...this.fronts]) process.kill();
      scheduler.after(random.int(50, 500), null, () => broker.start());
    });
    return true;
  }

  /** When clients and faults are through nothing goes wrong any more; over when all is settled then. */
  private watchForEnd(): void {
    const { scheduler, trouble, broker } = this.universe;
    scheduler.after(100, null, () => {
      if (this.faultsLeft === 0) trouble.heal();
      if (this.faultsLeft === 0 && broker.isUp && this.fronts.every((front) => front.isOpen)) {
        this.isDrained = this.unfinished() === "";
      }
      this.watchForEnd();
    });
  }

  /** What is still to be done; "" when everything is. */
  private unfinished(): string {
    const { broker, observer, store } = this.universe;
    if (this.clients.some((client) => !client.isDone)) return "clients are not through";
    const frames = broker.accepted.filter((frame) => !frame.isLost && !observer.isSettled(frame));
    const left = frames.map((f) => `${f.generation}/${f.lane}/${f.partition}/${f.sequence}`).join(" ");
    if (left !== "") return `frames ${left}`;
    const messages = store.rows<{ n: number }>("select count(*) as n from outbox")[0]!.n;
    return messages > 0 ? `${messages} messages` : "";
  }
}
