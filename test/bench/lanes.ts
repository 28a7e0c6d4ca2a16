import { randomUUID } from "node:crypto";
import { startWeir, type Weir } from "../support/weir.ts";
import { percentile } from "./report.ts";

export interface LanesOptions {
  /** Of the migration. */
  events: number;
  /** Merges of the other migration. */
  merges: number;
  /** Probes of each kind without a migration. */
  probes: number;
}

const PROBE_PAUSE_MS = 250;
const LOOK_MS = 10;
const GIVE_UP_MS = 300_000;

/** Until a query sees it, milliseconds. */
async function untilTrue(weir: Weir, hogql: string): Promise<number> {
  const startedAt = performance.now();
  while ((await weir.number(hogql)) !== 1) {
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error(`never true: ${hogql}`);
    await Bun.sleep(LOOK_MS);
  }
  return performance.now() - startedAt;
}

/** A live event, from its first byte to the first query that counts it. */
export async function probeEvent(weir: Weir): Promise<number> {
  const name = `probe ${randomUUID()}`;
  const startedAt = performance.now();
  await weir.capture({ event: name, distinct_id: randomUUID() });
  await untilTrue(weir, `SELECT count() FROM events WHERE event = '${name}'`);
  return performance.now() - startedAt;
}

/** A live merge of two persons with an event each, until a query sees one person. */
export async function probeMerge(weir: Weir): Promise<number> {
  const [name, anon, user] = [`probe ${randomUUID()}`, randomUUID(), randomUUID()];
  await weir.batch([anon, user].map((distinct_id) => ({ event: name, distinct_id })));
  const startedAt = performance.now();
  await weir.capture({ event: "$identify", distinct_id: user, properties: { $anon_distinct_id: anon } });
  const both = `SELECT count() = 2 AND uniq(person_id) = 1 FROM events WHERE event = '${name}'`;
  await untilTrue(weir, `SELECT if(t.a, 1, 0) FROM (${both.replace(" FROM", " AS a FROM")}) AS t`);
  return performance.now() - startedAt;
}

export async function probes(probe: (weir: Weir) => Promise<number>, weir: Weir, isOver: (n: number) => boolean) {
  const latenciesMs: number[] = [];
  while (!isOver(latenciesMs.length)) {
    latenciesMs.push(Math.round(await probe(weir)));
    await Bun.sleep(PROBE_PAUSE_MS);
  }
  const p50 = percentile(latenciesMs, 0.5);
  return {
    count: latenciesMs.length,
    p50,
    p95: percentile(latenciesMs, 0.95),
    worst: Math.max(...latenciesMs),
    latenciesMs,
  };
}

/** Probes while a migration runs and until all of it is stored. */
async function beside(weir: Weir, probe: (weir: Weir) => Promise<number>, count: number, mode: "events" | "merges") {
  const script = new URL("./migration.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, String(count), mode];
  const startedAt = performance.now();
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: "inherit", stderr: "inherit" });
  let isStored = false;
  const stored = child.exited.then(async (code) => {
    if (code !== 0) throw new Error("the migration failed");
    await weir.waitStored(GIVE_UP_MS);
    isStored = true;
  });
  const result = await probes(probe, weir, (n) => isStored && n > 0);
  await stored;
  return { ...result, migrationMs: Math.round(performance.now() - startedAt) };
}

/** How long live events and live merges take to be seen, alone and beside migrations; each pair in one run. */
export async function benchLanes(o: LanesOptions): Promise<object> {
  await using weir = await startWeir();
  const events = {
    alone: await probes(probeEvent, weir, (n) => n >= o.probes),
    beside: await beside(weir, probeEvent, o.events, "events"),
  };
  console.error(`events: ${events.alone.p50} ms alone, ${events.beside.p50} beside`);
  const merges = {
    alone: await probes(probeMerge, weir, (n) => n >= o.probes),
    beside: await beside(weir, probeMerge, o.merges, "merges"),
  };
  console.error(`merges: ${merges.alone.p50} ms alone, ${merges.beside.p50} beside`);
  return {
    bench: "lanes",
    ...o,
    ratioP95: {
      events: events.beside.p95 / events.alone.p95,
      merges: merges.beside.p95 / merges.alone.p95,
    },
    events,
    merges,
  };
}
