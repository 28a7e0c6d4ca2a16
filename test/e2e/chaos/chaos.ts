import { expect } from "bun:test";
import { HANG_MS, until } from "../../support/processes.ts";
import { Random } from "../../support/random.ts";
import { TEST_SEED } from "../../support/seed.ts";
import { startWeir, type Weir } from "../../support/weir.ts";
import { Client } from "./client.ts";
import { FAULTS, type Fault, FLEET_ENV, Fleet } from "./fleet.ts";
import { Ledger, type SentEvent } from "./ledger.ts";
import { People } from "./people.ts";
import { expectPeople, expectStoredOnce } from "./reconcile.ts";
import { watchFaces, watchQueries, watchStatus } from "./watch.ts";

const CLIENTS = 4;
/** Enough that every partition gets one. */
const PROBES = 96;

/** How a run went; printed, so that a run that fails can be tried again by its seed. */
export interface ChaosReport {
  seed: number;
  rounds: { fault: Fault; recoveryMs: number }[];
  requests: number;
  tries: number;
  events: number;
  statusAnswers: number;
  queryAnswers: number;
  faces: { compared: number; equal: number };
}

/**
 * Kills at random moments under steady load, round after round, with workers that join and leave; then compares what was
 * sent, accepted and stored, and the persons with a model. A round ends when events of all partitions that were sent
 * after the kill are queryable; how long that took is reported.
 */
export async function runChaos(o: { rounds: number }): Promise<ChaosReport> {
  const random = new Random(TEST_SEED);
  console.log(JSON.stringify({ chaos: { seed: TEST_SEED } }));
  await using weir = await startWeir({ env: FLEET_ENV });
  await using fleet = new Fleet(weir, random);
  const ledger = new Ledger();
  const people = new People();
  let over = false;
  const isOver = () => over;
  const clients = Array.from(
    { length: CLIENTS },
    (_, i) => new Client(weir, `c${i}`, random.int(0, 2 ** 31), ledger, people),
  );
  const load = Promise.all(clients.map((client) => client.run(isOver)));
  const watchers = Promise.all([
    watchStatus(weir, ledger, isOver),
    watchQueries(weir, isOver),
    watchFaces(weir, isOver),
  ]);
  const running = Promise.all([load, watchers]);

  const rounds: ChaosReport["rounds"] = [];
  const disturb = async () => {
    for (const fault of deck(o.rounds, random)) {
      await Bun.sleep(random.int(200, 1_500));
      const killedAtMs = await fleet.disturb(fault);
      await probe(weir, ledger, rounds.length);
      rounds.push({ fault, recoveryMs: Math.round(performance.now() - killedAtMs) });
    }
  };
  // Whatever fails first ends the run.
  await Promise.race([disturb(), running]).finally(() => {
    over = true;
  });
  const [, [statusAnswers, queryAnswers, faces]] = await running;

  expect(fleet.dead).toEqual([]);
  await fleet.leave();
  const { requests, tries } = ledger;
  const report = {
    seed: TEST_SEED,
    rounds,
    requests,
    tries,
    events: ledger.accepted.size,
    statusAnswers,
    queryAnswers,
    faces,
  };
  console.log(JSON.stringify({ chaos: report }));
  expect(faces.compared).toBeGreaterThan(0);
  await expectStoredOnce(weir, ledger);
  await expectPeople(weir, people);
  return report;
}

/** Each kind of fault as often as any other, in a random order. */
function deck(rounds: number, random: Random): Fault[] {
  const cards: Fault[] = [];
  while (cards.length < rounds) cards.push(...random.shuffle(FAULTS));
  return cards.slice(0, rounds);
}

async function probe(weir: Weir, ledger: Ledger, round: number): Promise<void> {
  const name = `probe ${round}`;
  const events: SentEvent[] = Array.from({ length: PROBES }, (_, i) => ({
    uuid: crypto.randomUUID(),
    event: name,
    distinct_id: `probe-${i}`,
    timestamp: new Date().toISOString(),
    properties: { serial: round },
  }));
  await weir.deliver(events, { onTry: () => ledger.onTry(events) });
  ledger.onAnswered(events);
  await until(`${name} to be queryable`, HANG_MS, async () => {
    const count = await weir.number(`SELECT count() FROM events WHERE event = '${name}'`).catch(() => 0);
    return count === PROBES;
  });
}
