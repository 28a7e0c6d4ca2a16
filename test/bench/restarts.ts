import { Client } from "../e2e/chaos/client.ts";
import { Ledger } from "../e2e/chaos/ledger.ts";
import { People } from "../e2e/chaos/people.ts";
import { expectPeople, expectStoredOnce } from "../e2e/chaos/reconcile.ts";
import { type Seen, Watch } from "../faults/watch.ts";
import { until } from "../support/processes.ts";
import { TEST_SEED } from "../support/seed.ts";
import { type Role, startWeir } from "../support/weir.ts";
import { benchHandovers } from "./handovers.ts";

const ROLES: Role[] = ["worker-0", "worker-1", "compactor", "exporter-0", "api", "query-0", "front", "nats-server"];
const CLIENTS = 4;
const WAIT_MS = 60_000;
/** Requests that must be answered before and after each restart. */
const STEADY_REQUESTS = 50;

/** What senders and readers saw while one role was restarted. */
interface RestartSeen extends Seen {
  role: string;
  /** Until its successor runs. */
  replacedMs: number;
}

/** A rolling restart, and how partitions change hands. */
export async function benchRestarts({ rounds }: { rounds: number }): Promise<object> {
  return { bench: "restarts", ...(await rollingRestart()), handovers: await benchHandovers(rounds) };
}

/**
 * Restarts every role in turn, by SIGTERM, under load; then compares what was sent, accepted and stored. Throws where something is
 * lost, twice, or out of order.
 */
export async function rollingRestart(): Promise<{ events: number; restarts: RestartSeen[] }> {
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
  const restarts: RestartSeen[] = [];
  const restart = async () => {
    for (const role of ROLES) {
      await steady();
      watch.forget();
      const pid = weir.pidOf(role);
      const beganAtMs = performance.now();
      process.kill(pid, "SIGTERM");
      await until(`${role} to be replaced`, WAIT_MS, () => weir.isReplaced(role, pid));
      const replacedMs = performance.now() - beganAtMs;
      await steady();
      restarts.push({ role, replacedMs: Math.round(replacedMs), ...watch.rounded });
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
