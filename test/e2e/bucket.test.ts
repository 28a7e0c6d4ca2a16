import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { weirOn } from "../commands/weirProcess.ts";
import { BucketServer, type Fault } from "../support/bucketServer.ts";
import { HandWorker } from "../support/handWorker.ts";
import { MAIN } from "../support/main.ts";
import { findPostgres, startPostgres } from "../support/postgres.ts";
import { HANG_MS, processesNaming, until } from "../support/processes.ts";
import { Random } from "../support/random.ts";
import { TEST_SEED } from "../support/seed.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { Client } from "./chaos/client.ts";
import { Ledger, type SentEvent } from "./chaos/ledger.ts";
import { People } from "./chaos/people.ts";
import { expectPeople, expectStoredOnce } from "./chaos/reconcile.ts";

const CLIENTS = 2;
const PROBES = 64;
/** Requests that an outage refuses. */
const REFUSED = 12;
const FAULTS: readonly Fault[] = ["busy", "full", "lost", "failed late", "cut off", "changed", "slow"];
const SETTINGS = { WEIR_WORKERS: "2", WEIR_LEASE_TTL_MS: "2000", WEIR_COMPACT_FANOUT: "4", WEIR_COMPACT_MS: "200" };

test("segments are in a bucket that fails, and processes die: all that was accepted is stored once, in order", async () => {
  await using bucket = await BucketServer.start();
  await using weir = await startWeir({ env: { ...bucket.settings, ...SETTINGS } });
  const random = new Random(TEST_SEED);
  const ledger = new Ledger();
  const people = new People();
  let over = false;
  const clients = Array.from(
    { length: CLIENTS },
    (_, i) => new Client(weir, `c${i}`, random.int(0, 2 ** 31), ledger, people),
  );
  const load = Promise.all(clients.map((client) => client.run(() => over)));
  const disturb = async () => {
    await probe(weir, ledger, "begin");
    bucket.faults = () => (random.int(0, 10) === 0 ? FAULTS[random.int(0, FAULTS.length)]! : null);
    weir.kill9("worker-0");
    await probe(weir, ledger, "one request in ten fails");
    let refused = 0;
    bucket.faults = () => {
      refused++;
      return "busy";
    };
    weir.kill9("compactor");
    await until("the outage to be met", HANG_MS, () => refused >= REFUSED);
    weir.kill9("api");
    bucket.faults = () => null;
    await probe(weir, ledger, "the bucket was away");
    for (const { pid } of processesNaming(weir.dataDir)) process.kill(pid, "SIGKILL");
    await until("all to be dead", HANG_MS, () => processesNaming(weir.dataDir).length === 0);
    // As on a new machine.
    rmSync(join(weir.dataDir, "cache"), { recursive: true });
    rmSync(join(weir.dataDir, "lake"), { recursive: true });
    await weir.start();
    await probe(weir, ledger, "all were killed");
  };
  await Promise.race([disturb(), load]).finally(() => {
    over = true;
  });
  await load;
  const copied = mkdtempSync(join(tmpdir(), "weir-objects-"));
  await expectStoredOnce(weir, ledger, { segments: () => copyOf(bucket, copied) });
  await expectPeople(weir, people);
  rmSync(copied, { recursive: true });

  for (const { pid } of processesNaming(weir.dataDir)) {
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(bucket.secretAccessKey);
  }
  expect(weir.output).not.toContain(bucket.secretAccessKey);
  const metrics = await (await fetch(`${weir.url}/metrics`)).text();
  // Any process of the machine may have fetched what a query found in the cache.
  expect(metrics).toMatch(/weir_cache_files_total\{from="(?:bucket|cache)"\} [1-9]/);
  const doctor = await weirOn(weir.dataDir, ["doctor"], bucket.settings);
  expect(doctor.out).toMatch(/store +s3:\/\/lake\/segments stores, gives and removes a file/);
  await weir.stop();
  const verified = await weirOn(weir.dataDir, ["lake", "verify"], bucket.settings);
  expect(verified.out + verified.error).toContain(" 0 problems");
});

test("a Weir does not start with the bucket of another, or with one that lacks its files", async () => {
  await using bucket = await BucketServer.start();
  await using weir = await startWeir({ env: { ...bucket.settings, WEIR_FLUSH_MS: "50" } });
  const ledger = new Ledger();
  await probe(weir, ledger, "one");
  await weir.stop();
  const other = mkdtempSync(join(tmpdir(), "weir-other-"));
  const start = (dataDir: string, more: Record<string, string> = {}) =>
    weirOn(dataDir, ["start"], { WEIR_PORT: "0", ...bucket.settings, ...more });
  const elsewhere = { WEIR_STORE_URL: "s3://lake/elsewhere" };
  expect((await start(other)).error).toContain("they are another Weir's");
  expect((await start(weir.dataDir, elsewhere)).error).toContain("lacks files that the records name");
  expect((await start(other, { WEIR_STORE_SECRET_ACCESS_KEY: "", WEIR_STORE_ACCESS_KEY_ID: "no" })).code).toBe(1);
  const lost = await weirOn(weir.dataDir, ["lake", "verify"], { ...bucket.settings, ...elsewhere });
  expect([lost.code, lost.out]).toEqual([1, expect.stringContaining("missing")]);
  rmSync(other, { recursive: true });
});

test.if(findPostgres() !== null)(
  "a worker and a compactor on another machine need nothing of the first one's disk",
  async () => {
    await using bucket = await BucketServer.start();
    const server = await startPostgres();
    const other = mkdtempSync(join(tmpdir(), "weir-other-"));
    try {
      const shared = { ...bucket.settings, DATABASE_URL: await server.createDatabase(), WEIR_COMPACT_FANOUT: "2" };
      await using weir = await startWeir({ env: { ...shared, WEIR_WORKERS: "0" } });
      const env = { ...shared, NATS_URL: readFileSync(join(weir.dataDir, "run", "nats-url"), "utf8") };
      const worker = new HandWorker({ dataDir: join(other, "worker"), env });
      const command = [MAIN, "compactor"];
      const compactor = new HandWorker({ dataDir: join(other, "compactor"), env, command });
      const ledger = new Ledger();
      for (const name of ["one", "two", "three", "four"]) await probe(weir, ledger, name);
      weir.kill9("compactor");
      for (const name of ["five", "six", "seven", "eight"]) await probe(weir, ledger, name);
      await weir.waitStored();
      expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(8 * PROBES);
      const segments = (folder: string) =>
        readdirSync(join(folder, "lake")).filter((name) => /\.(parquet|keys)$/.test(name));
      expect(segments(weir.dataDir)).toEqual([]);
      expect([await worker.stop(), await compactor.stop()]).toEqual([0, 0]);
      // Without the place of segments, what they wrote would be out of the others' reach.
      for (const role of ["worker", "compactor", "start"]) {
        const own = { ...env, WEIR_STORE_URL: "", WEIR_PORT: "0" };
        const folder = join(other, `lost-${role}`);
        mkdirSync(join(folder, "lake"), { recursive: true });
        const refused = await weirOn(folder, [role], own);
        expect([refused.code, refused.error]).toEqual([1, expect.stringContaining("WEIR_STORE_URL is not set")]);
      }
      expect(segments(join(other, "worker"))).toEqual([]);
    } finally {
      await server.stop();
      rmSync(other, { recursive: true, force: true });
    }
  },
);

/** The objects as files. */
function copyOf(bucket: BucketServer, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [key, { bytes }] of bucket.objects) writeFileSync(join(folder, basename(key)), bytes);
  return folder;
}

/** Events of all partitions that are sent now become visible. */
async function probe(weir: Weir, ledger: Ledger, name: string): Promise<void> {
  const events: SentEvent[] = Array.from({ length: PROBES }, (_, i) => ({
    ...{ uuid: crypto.randomUUID(), event: name, distinct_id: `probe-${i}`, timestamp: new Date().toISOString() },
    properties: { serial: Math.round(performance.now()) },
  }));
  await weir.deliver(events, { onTry: () => ledger.onTry(events) });
  ledger.onAnswered(events);
  await until(`"${name}" to be queryable`, HANG_MS, async () => {
    return (await weir.number(`SELECT count() FROM events WHERE event = '${name}'`).catch(() => 0)) === PROBES;
  });
}
