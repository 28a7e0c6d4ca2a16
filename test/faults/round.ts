import { Client } from "../e2e/chaos/client.ts";
import { Ledger, type SentEvent } from "../e2e/chaos/ledger.ts";
import { People } from "../e2e/chaos/people.ts";
import { expectPeople } from "../e2e/chaos/reconcile.ts";
import { HANG_MS, until } from "../support/processes.ts";
import type { Random } from "../support/random.ts";
import type { Callers } from "./callers.ts";
import type { Cluster } from "./cluster.ts";
import { reconcile, type Tally } from "./reconciliation.ts";
import { type Seen, Watch } from "./watch.ts";

const CLIENTS = 4;
/** Enough that every partition gets one. */
const PROBES = 96;
/** Requests that are answered before and after the fault. */
const STEADY_REQUESTS = 40;
/** So that cores are free: a queue that only load makes would be taken for a recovery that is slow. */
const SEND_PAUSE_MS = 150;
const READ_PAUSE_MS = 300;
const PROBE_PAUSE_MS = 100;
/** A background query that is lost with its process is taken by another one within a minute. */
const BACKGROUND_MS = 90_000;

/** Times since a moment. */
export interface Recovery {
  /** Until new events of all partitions were accepted. */
  acceptedMs: number;
  /** Until an answer had them. */
  storedMs: number;
  /** Until a background query was done. */
  backgroundMs: number;
}

/** Load on a project of its own, from steady before a fault to steady after it, and what became of its events. */
export class Round {
  private readonly ledger = new Ledger();
  private readonly people = new People();
  private readonly watch: Watch;
  private readonly load: Promise<unknown>;
  private isOver = false;
  private probes = 0;

  private constructor(
    private readonly cluster: Cluster,
    private readonly callers: Callers,
    random: Random,
  ) {
    this.watch = new Watch(callers);
    const isOver = () => this.isOver;
    const clients = Array.from(
      { length: CLIENTS },
      (_, i) => new Client(callers, `c${i}`, random.int(0, 2 ** 31), this.ledger, this.people),
    );
    this.load = Promise.all([
      ...clients.map((client) => client.run(isOver, SEND_PAUSE_MS)),
      this.watch.read(isOver, READ_PAUSE_MS),
    ]);
  }

  static async begin(cluster: Cluster, random: Random): Promise<Round> {
    return new Round(cluster, await cluster.callers(), random);
  }

  /** Whatever fails first ends it. */
  async run<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await Promise.race([body(), this.load.then(() => Promise.reject(new Error("the load has ended")))]);
    } finally {
      this.isOver = true;
    }
  }

  async steady(): Promise<void> {
    const { ledger, watch } = this;
    const [requests, reads] = [ledger.requests + STEADY_REQUESTS, watch.seen.reads + 2];
    await until("requests to be answered", HANG_MS, () => ledger.requests >= requests && watch.seen.reads >= reads);
  }

  /** Sends events of all partitions until they are accepted and in an answer, then asks a background query until it is done. */
  async probe(sinceMs: number): Promise<Recovery> {
    const past = () => Math.round(performance.now() - sinceMs);
    const name = `probe ${this.probes++}`;
    const events: SentEvent[] = Array.from({ length: PROBES }, (_, i) => ({
      ...{ uuid: crypto.randomUUID(), event: name, distinct_id: `probe-${i}`, timestamp: new Date().toISOString() },
      properties: { serial: this.probes },
    }));
    await this.callers.deliver(events, { onTry: () => this.ledger.onTry(events) });
    this.ledger.onAnswered(events);
    const acceptedMs = past();
    const counted = `SELECT count() FROM events WHERE event = '${name}'`;
    const isStored = async () => (await this.callers.number(counted).catch(() => 0)) === PROBES;
    await until(`${name} to be queryable`, HANG_MS, isStored, PROBE_PAUSE_MS);
    const storedMs = past();
    await until("a background query", HANG_MS, () => this.background(counted).catch(() => false), PROBE_PAUSE_MS);
    return { acceptedMs, storedMs, backgroundMs: past() };
  }

  /** What clients saw since the round began. */
  get seen(): Seen {
    return this.watch.rounded;
  }

  /** The end of the load, and what became of its events; persons too are as the model says. */
  async tally(): Promise<Tally> {
    this.isOver = true;
    await this.load;
    const tally = await this.again();
    await expectPeople(this.callers, this.people).catch((error: Error) => {
      throw new Error(`${JSON.stringify(tally)}, and persons are not as the model says: ${error.message}`, {
        cause: error,
      });
    });
    return tally;
  }

  /** The same at a later time. */
  again(): Promise<Tally> {
    return reconcile(this.cluster, this.callers, this.ledger);
  }

  /** Whether a query process has calculated a query; each ask begins one anew. */
  private async background(query: string): Promise<boolean> {
    const id = crypto.randomUUID();
    const body = { query: { kind: "HogQLQuery", query }, refresh: "force_async", client_query_id: id };
    const begun = await this.callers.api("/query/", { body });
    await begun.arrayBuffer();
    if (begun.status !== 202) return false;
    return until("its answer", BACKGROUND_MS, async () => {
      const answer = await this.callers.api(`/query/${id}/`);
      const { query_status: status } = (await answer.json()) as { query_status?: { complete: boolean } };
      return status?.complete;
    });
  }
}
