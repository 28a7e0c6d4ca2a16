import { partitionOf } from "../../src/stream/mod.ts";
import { catalogOf } from "../support/catalogOf.ts";
import { HandWorker } from "../support/handWorker.ts";
import { until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";

const PARTITIONS = 16;
const SEND_EVERY_MS = 50;
const LOOK_MS = 25;
const WAIT_MS = 60_000;
const STEADY_BATCHES = 20;

/** How events of all partitions fared when a worker died, joined or left. Milliseconds from that moment. */
export interface Handover {
  /** Until the first batch that was sent after it was in an answer. */
  storedMs: number;
  /** Until every worker had its share. */
  sharedMs: number;
  /** Until a batch that was sent after that was in an answer. */
  settledMs: number;
  /** The longest of all batches, from its sending until it was in an answer. */
  longestMs: number;
}

export interface Handovers {
  /** A worker of `weir start` is killed, by the number of its workers. */
  killed: { workers: number; rounds: Handover[] }[];
  /** `weir worker` is started beside a `weir start` of one worker. */
  joined: Handover[];
  /** It gets SIGTERM. */
  left: Handover[];
}

/** Workers die, join and leave beside a steady load of all partitions. Throws where something is lost or stored twice. */
export async function benchHandovers(rounds: number): Promise<Handovers> {
  const killed = [];
  for (const workers of [1, 2]) {
    const handovers: Handover[] = [];
    // A Weir of its own for each: a worker that dies again and again is started later and later.
    for (let round = 0; round < rounds; round++) handovers.push(await killOne(workers));
    killed.push({ workers, rounds: handovers });
  }
  return { killed, ...(await joinAndLeave(rounds)) };
}

async function killOne(workers: number): Promise<Handover> {
  await using weir = await startWeir({ env: { WEIR_WORKERS: String(workers) } });
  const flow = new Flow(weir);
  await flow.steady(workers);
  const pid = weir.kill9("worker-0");
  const handover = await flow.watch(workers, [pid]);
  await flow.end();
  return handover;
}

async function joinAndLeave(rounds: number): Promise<Pick<Handovers, "joined" | "left">> {
  await using weir = await startWeir();
  const flow = new Flow(weir);
  const joined: Handover[] = [];
  const left: Handover[] = [];
  for (let round = 0; round < rounds; round++) {
    await flow.steady(1);
    await using worker = new HandWorker({ dataDir: weir.dataDir });
    joined.push(await flow.watch(2));
    await flow.steady(2);
    worker.kill("SIGTERM");
    left.push(await flow.watch(1, [worker.pid]));
    const code = await worker.ended;
    if (code !== 0) throw new Error(`a worker left with ${code}: ${worker.output}`);
  }
  await flow.end();
  return { joined, left };
}

/** An id of each partition, in the project that a Weir begins with. */
const IDS = Array.from({ length: PARTITIONS }, (_, partition) => {
  for (let n = 0; ; n++) if (partitionOf(1, `user-${n}`, PARTITIONS) === partition) return `user-${n}`;
});

/** One batch for all partitions after the other, each with an event of its own, and when they were in an answer. */
class Flow {
  private over = false;
  private batches = 0;
  /** When each batch was sent, by its event; those that no answer had yet. */
  private readonly waiting = new Map<string, number>();
  private readonly running: Promise<unknown>;
  private stored: { sentAtMs: number; seenAtMs: number }[] = [];

  constructor(private readonly weir: Weir) {
    this.running = Promise.all([this.send(), this.look()]);
    // Whoever waits for something tells.
    this.running.catch(() => {});
  }

  /** Waits until so many workers have their shares, and events flow. */
  async steady(workers: number): Promise<void> {
    await this.shared(workers, []);
    const enough = this.stored.length + STEADY_BATCHES;
    await until("events to flow", WAIT_MS, () => this.stored.length >= enough);
  }

  /** Something has just happened: looks until so many workers share all partitions, none of them one of the `gone`. */
  async watch(workers: number, gone: readonly number[] = []): Promise<Handover> {
    const beganMs = performance.now();
    this.stored = [];
    await this.shared(workers, gone);
    const sharedAtMs = performance.now();
    await until("the last events to be stored", WAIT_MS, () => this.firstSince(sharedAtMs), LOOK_MS);
    const since = (atMs: number) => Math.round(atMs - beganMs);
    return {
      storedMs: since(this.firstSince(beganMs)!),
      sharedMs: since(sharedAtMs),
      settledMs: since(this.firstSince(sharedAtMs)!),
      longestMs: Math.round(Math.max(...this.stored.map(({ sentAtMs, seenAtMs }) => seenAtMs - sentAtMs))),
    };
  }

  /** Stops sending, and looks at what is stored. */
  async end(): Promise<void> {
    this.over = true;
    await this.running;
    const events = this.batches * PARTITIONS;
    const { results } = await this.weir.query("SELECT count(), count(DISTINCT uuid) FROM events");
    if (results[0]!.some((n) => Number(n) !== events))
      throw new Error(`${events} events were sent, but: ${JSON.stringify(results[0])}`);
  }

  /** When the first batch that was sent after a moment was in an answer; undefined while none was. */
  private firstSince(atMs: number): number | undefined {
    return this.stored.find(({ sentAtMs }) => sentAtMs > atMs)?.seenAtMs;
  }

  private async shared(workers: number, gone: readonly number[]): Promise<void> {
    await using records = await catalogOf(this.weir);
    const isGone = (owner: string) => gone.some((pid) => owner.startsWith(`worker-${pid}-`));
    await until(
      `${workers} workers to share`,
      WAIT_MS,
      async () => {
        const shares = Map.groupBy(await records.catalog.owners(), ({ owner }) => owner ?? "");
        const isShare = ([owner, own]: [string, object[]]) =>
          owner !== "" && !isGone(owner) && own.length === PARTITIONS / workers;
        return [...shares].every(isShare);
      },
      LOOK_MS,
    );
  }

  private async send(): Promise<void> {
    for (; !this.over; await Bun.sleep(SEND_EVERY_MS)) {
      const event = `batch ${this.batches++}`;
      this.waiting.set(event, performance.now());
      await this.weir.deliver(IDS.map((distinct_id) => ({ uuid: crypto.randomUUID(), event, distinct_id })));
    }
  }

  private async look(): Promise<void> {
    for (; !this.over || this.waiting.size > 0; await Bun.sleep(LOOK_MS)) {
      const [oldest] = this.waiting.keys();
      if (oldest === undefined) continue;
      const asked = [...this.waiting];
      const names = asked.map(([event]) => `'${event}'`).join(", ");
      const { results } = await this.weir.query(
        `SELECT event FROM events WHERE event IN (${names}) GROUP BY event HAVING count() = ${PARTITIONS} LIMIT 1000`,
      );
      const seenAtMs = performance.now();
      for (const [event] of results as [string][]) {
        this.stored.push({ sentAtMs: this.waiting.get(event)!, seenAtMs });
        this.waiting.delete(event);
      }
    }
  }
}
