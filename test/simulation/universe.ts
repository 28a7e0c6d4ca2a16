import { Random } from "../support/random.ts";
import { Broker } from "./broker.ts";
import { Disk } from "./disk.ts";
import { FaultCounts } from "./faults.ts";
import { Members } from "./members.ts";
import { Observer } from "./observer.ts";
import { Scheduler } from "./scheduler.ts";
import { emptyStore, type Store, type StoreFault } from "./store.ts";
import { Trouble } from "./trouble.ts";

/** Shortly before midnight, so that days change while it runs. */
const START_MS = Date.UTC(2026, 9, 14, 23, 59, 59);

/** Everything that processes share, made from a seed. */
export class Universe {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly store: Store;
  readonly faults = new FaultCounts();
  readonly trouble: Trouble;
  readonly broker: Broker;
  readonly members: Members;
  readonly disk: Disk;
  readonly observer: Observer;
  readonly trace: string[] = [];
  /** The project that was deleted, if one was. */
  deletedTeamId: number | null = null;

  constructor(
    readonly seed: number,
    private readonly isTraced: boolean,
    storeFault: StoreFault | null = null,
  ) {
    this.random = new Random(seed);
    this.store = emptyStore(storeFault);
    this.scheduler = new Scheduler(this.random.fork(), START_MS);
    this.trouble = new Trouble(this.random.fork(), this.faults);
    this.disk = new Disk(this.random.fork().chance(0.5));
    this.broker = new Broker(this);
    this.members = new Members(this);
    this.observer = new Observer(this);
  }

  log(who: string, text: string): void {
    if (this.isTraced) this.trace.push(`${this.scheduler.nowMs - START_MS} ${who}: ${text}`);
  }
}
