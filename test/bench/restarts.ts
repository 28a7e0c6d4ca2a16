import { Client } from "../e2e/chaos/client.ts";
import { Ledger } from "../e2e/chaos/ledger.ts";
import { People } from "../e2e/chaos/people.ts";
import { expectPeople, expectStoredOnce } from "../e2e/chaos/reconcile.ts";
import { until } from "../support/processes.ts";
import { TEST_SEED } from "../support/seed.ts";
import { type Role, startWeir, type Weir } from "../support/weir.ts";
import { benchHandovers } from "./handovers.ts";

const ROLES: Role[] = ["worker-0", "worker-1", "compactor", "exporter-0", "api", "query-0", "front", "nats-server"];
const CLIENTS = 4;
const WAIT_MS = 60_000;
const PAUSE_MS = 20;
/** Requests that must be answered before and after each restart. */
const STEADY_REQUESTS = 50;

/** What senders and readers saw while one role was restarted. */
interface Seen {
  role: string;
  /** Until its successor runs. */
  replacedMs: number;
  captures: number;
  /** Tries of captures that were not answered with 200, by what was seen in place of it. */
  failedCaptures: Record<string, number>;
  /** From the first try to the 200. */
  longestCaptureMs: number;
  reads: number;
  failedReads: Record<string, number>;
  longestReadMs: number;
}

const nothing = () => ({
  ...{ captures: 0, failedCaptures: {} as Record<string, number>, longestCaptureMs: 0 },
  ...{ reads: 0, failedReads: {} as Record<string, number>, longestReadMs: 0 },
});

/** Counts what the senders of a Weir see. */
class Watch {
  seen = nothing();

  constructor(private readonly weir: Weir) {
    const post = weir.post.bind(weir);
    weir.post = async (path, body, headers, signal) => {
      const isPatient = signal === undefined;
      try {
        const answer = await post(path, body, headers, signal);
        if (answer.status !== 200 && isPatient) count(this.seen.failedCaptures, String(answer.status));
        return answer;
      } catch (error) {
        if (isPatient) count(this.seen.failedCaptures, "no answer");
        throw error;
      }
    };
    const deliver = weir.deliver.bind(weir);
    weir.deliver = async (events, options) => {
      const beganAtMs = performance.now();
      const tries = await deliver(events, options);
      this.seen.captures++;
      this.seen.longestCaptureMs = Math.max(this.seen.longestCaptureMs, performance.now() - beganAtMs);
      return tries;
    };
  }

  /** Asks again and again, each question until it is answered. */
  async read(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const beganAtMs = performance.now();
      while (!(await this.ask())) await Bun.sleep(PAUSE_MS);
      this.seen.reads++;
      this.seen.longestReadMs = Math.max(this.seen.longestReadMs, performance.now() - beganAtMs);
      await Bun.sleep(PAUSE_MS);
    }
  }

  private async ask(): Promise<boolean> {
    const body = { query: { kind: "HogQLQuery", query: "SELECT count() FROM events" }, refresh: "force_blocking" };
    const status = await this.weir.api("/query/", { body }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return String(answer.status);
      },
      () => "no answer",
    );
    if (status !== "200") count(this.seen.failedReads, status);
    return status === "200";
  }
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

/** A rolling restart, and how partitions change hands. */
export async function benchRestarts({ rounds }: { rounds: number }): Promise<object> {
  return { bench: "restarts", ...(await rollingRestart()), handovers: await benchHandovers(rounds) };
}

/**
 * Restarts every role in turn, by SIGTERM, under load; then compares what was sent, accepted and stored. Throws where something is
 * lost, twice, or out of order.
 */
export async function rollingRestart(): Promise<{ events: number; restarts: Seen[] }> {
  await using weir = await startWeir({ env: { WEIR_WORKERS: "2", WEIR_EXPORTERS: "1" } });
  const ledger = new Ledger();
  const people = new People();
  const watch = new Watch(weir);
  let over = false;
  const isOver = () => over;
  const clients = Array.from({ length: CLIENTS }, (_, i) => new Client(weir, `c${i}`, TEST_SEED + i, ledger, people));
  const load = Promise.all([...clients.map((client) => client.run(isOver)), watch.read(isOver)]);
  const steady = async () => {
    const enough = ledger.requests + STEADY_REQUESTS;
    const { seen } = watch;
    const reads = seen.reads + 2;
    await until("requests to be answered", WAIT_MS, () => ledger.requests >= enough && seen.reads >= reads);
  };
  const restarts: Seen[] = [];
  const restart = async () => {
    for (const role of ROLES) {
      await steady();
      watch.seen = nothing();
      const pid = weir.pidOf(role);
      const beganAtMs = performance.now();
      process.kill(pid, "SIGTERM");
      await until(`${role} to be replaced`, WAIT_MS, () => weir.isReplaced(role, pid));
      const replacedMs = performance.now() - beganAtMs;
      await steady();
      const { longestCaptureMs, longestReadMs } = watch.seen;
      const rounded = { longestCaptureMs: Math.round(longestCaptureMs), longestReadMs: Math.round(longestReadMs) };
      restarts.push({ role, replacedMs: Math.round(replacedMs), ...watch.seen, ...rounded });
    }
  };
  await Promise.race([restart(), load]).finally(() => {
    over = true;
  });
  await load;
  await expectStoredOnce(weir, ledger);
  await expectPeople(weir, people);
  return { events: ledger.accepted.size, restarts };
}
