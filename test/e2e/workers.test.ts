import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Catalog } from "../../src/lake/mod.ts";
import { CAREFUL_FROM_ATTEMPTS } from "../../src/runtime/ownedPartition.ts";
import { catalogOf } from "../support/catalogOf.ts";
import { HandWorker } from "../support/handWorker.ts";
import { HANG_MS, isRunning, isStopped, until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { expectReconciled } from "./cdnowFigures.ts";

const LEASE_MS = 1_500;
const PARTITIONS = 16;
const LEASE = { WEIR_LEASE_TTL_MS: String(LEASE_MS) };
/** docs/operations.md#processes: start it again. */
const EXIT_FENCED = 75;

/** Owners by partition; an owner's id holds its pid. */
async function ownersOf(catalog: Catalog): Promise<(string | null)[]> {
  return (await catalog.owners()).map(({ owner }) => owner);
}

function owns(owners: readonly (string | null)[], pid: number): number {
  return owners.filter((owner) => owner?.startsWith(`worker-${pid}-`)).length;
}

/** Waits until each process owns so many partitions. */
async function untilShared(catalog: Catalog, shares: [pid: number, partitions: number][]): Promise<(string | null)[]> {
  return until(`owners to be ${JSON.stringify(shares)}`, HANG_MS, async () => {
    const owners = await ownersOf(catalog);
    return shares.every(([pid, partitions]) => owns(owners, pid) === partitions) ? owners : null;
  });
}

function batchOf(event: string): object[] {
  return Array.from({ length: 64 }, (_, i) => ({ uuid: crypto.randomUUID(), event, distinct_id: `user-${i}` }));
}

/** Sends events of all partitions until it is stopped; gives how many were accepted. */
function keepSending(weir: Weir): { stop(): Promise<number> } {
  let over = false;
  const sent = (async () => {
    let accepted = 0;
    for (; !over; await Bun.sleep(30)) {
      const batch = batchOf("steady");
      await weir.deliver(batch);
      accepted += batch.length;
    }
    return accepted;
  })();
  // A test that fails before it asks has its own error to tell.
  sent.catch(() => {});
  return {
    stop() {
      over = true;
      return sent;
    },
  };
}

async function expectStored(weir: Weir, events: number): Promise<void> {
  const status = await weir.waitStored();
  expectReconciled(status);
  expect(status).toMatchObject({ stored: events, dropped: 0, dead_letters: 0 });
  expect(await weir.number("SELECT count() FROM events")).toBe(events);
  expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(events);
}

describe("a worker started by hand", () => {
  test("takes its share and nothing else changes hands, gives it back when it leaves, and is replaced when it dies", async () => {
    await using weir = await startWeir({ env: LEASE });
    await using records = await catalogOf(weir);
    const own = weir.pidOf("worker-0");
    const alone = await untilShared(records.catalog, [[own, PARTITIONS]]);
    const sending = keepSending(weir);
    let highestAttempts = 0;
    const look = setInterval(async () => {
      const rows: { most: unknown }[] = await records.db.read((tx) => tx`select max(attempts) as most from positions`);
      highestAttempts = Math.max(highestAttempts, Number(rows[0]!.most));
    }, 20);
    try {
      for (let round = 0; round < 3; round++) {
        await using worker = new HandWorker({ dataDir: weir.dataDir, env: LEASE });
        const half = PARTITIONS / 2;
        const shared = await untilShared(records.catalog, [
          [own, half],
          [worker.pid, half],
        ]);
        expect(shared.filter((owner, partition) => owner !== alone[partition])).toHaveLength(half);
        if (round === 2) worker.kill("SIGKILL");
        else expect(await worker.stop()).toBe(0);
        await untilShared(records.catalog, [[own, PARTITIONS]]);
      }
    } finally {
      clearInterval(look);
    }
    await expectStored(weir, await sending.stop());
    expect(highestAttempts).toBeLessThan(CAREFUL_FROM_ATTEMPTS);
  });

  test("lives through a kill -9 and a new start of the main process, on which it depends for the broker", async () => {
    const settings = { ...LEASE, WEIR_WORKERS: "0" };
    await using weir = await startWeir({ env: settings });
    await using worker = new HandWorker({ dataDir: weir.dataDir, env: LEASE });
    await weir.deliver(batchOf("before"));
    await weir.waitStored();
    const main = weir.kill9("main");
    await until("the main process to die", HANG_MS, () => !isRunning(main), 5);
    await weir.start();
    await weir.deliver(batchOf("after"));
    await expectStored(weir, 128);
    expect(await worker.stop()).toBe(0);
  });
});

describe("a worker of a supervisor", () => {
  test("that is killed is replaced at once, however long its lease lasts", async () => {
    const aDay = { WEIR_LEASE_TTL_MS: String(24 * 60 * 60 * 1_000) };
    await using weir = await startWeir({ env: { ...aDay, WEIR_WORKERS: "2" } });
    await using records = await catalogOf(weir);
    const ownerOf = async (role: "worker-0" | "worker-1") => owns(await ownersOf(records.catalog), weir.pidOf(role));
    // Whichever has joined first may have all: with such a lease it does not soon look again.
    await until("all to be owned", HANG_MS, async () =>
      (await ownersOf(records.catalog)).every((owner) => owner !== null),
    );
    const first = (await ownerOf("worker-0")) > 0 ? "worker-0" : "worker-1";
    await weir.deliver(batchOf("before"));
    await weir.waitStored();
    const killed = weir.kill9(first);
    await weir.deliver(batchOf("after"));
    await expectStored(weir, 128);
    expect(owns(await ownersOf(records.catalog), killed)).toBe(0);
  });
});

describe("a worker that stands still", () => {
  test("for longer than its lease is fenced when it goes on, says so, and is started again", async () => {
    await using weir = await startWeir({ env: LEASE });
    await using records = await catalogOf(weir);
    await using other = new HandWorker({ dataDir: weir.dataDir, env: LEASE });
    const own = weir.pidOf("worker-0");
    const half = PARTITIONS / 2;
    await untilShared(records.catalog, [
      [own, half],
      [other.pid, half],
    ]);
    const sending = keepSending(weir);
    process.kill(own, "SIGSTOP");
    try {
      // Others can have it before, where the last heartbeat was late: then it has not stood still for so long.
      await Bun.sleep(LEASE_MS + 100);
      await untilShared(records.catalog, [[other.pid, PARTITIONS]]);
    } finally {
      process.kill(own, "SIGCONT");
    }
    await until("the end of it to be told", HANG_MS, () =>
      weir.output.includes(`worker-0 (${own}) ended (${EXIT_FENCED})`),
    );
    expect(weir.output).toContain("stood still for longer than the lease; others have taken over");
    await until("another to be started", HANG_MS, () => weir.isReplaced("worker-0", own));
    await untilShared(records.catalog, [
      [weir.pidOf("worker-0"), half],
      [other.pid, half],
    ]);
    await expectStored(weir, await sending.stop());
    expect(await other.stop()).toBe(0);
  });

  test("with a flush in hand cannot make it true", async () => {
    await using weir = await startWeir({ env: { ...LEASE, WEIR_WORKERS: "0" } });
    await using records = await catalogOf(weir);
    await using paused = pausingWorker(weir);
    await untilShared(records.catalog, [[paused.pid, PARTITIONS]]);
    await weir.deliver(batchOf("pause"));
    await until("it to stop in its flush", HANG_MS, () => isStopped(paused.pid));
    await using other = new HandWorker({ dataDir: weir.dataDir, env: LEASE });
    await untilShared(records.catalog, [[other.pid, PARTITIONS]]);
    await expectStored(weir, 64);
    const before = await weir.ingestionStatus();
    paused.kill("SIGCONT");
    expect(await paused.ended).toBe(EXIT_FENCED);
    expect(paused.output).toContain("stood still for longer than the lease; others have taken over");
    expect(await weir.ingestionStatus()).toEqual(before);
    await expectStored(weir, 64);
    await untilShared(records.catalog, [[other.pid, PARTITIONS]]);
    expect(await other.stop()).toBe(0);
  });

  test("goes on where nobody has taken over", async () => {
    await using weir = await startWeir({ env: { ...LEASE, WEIR_WORKERS: "0" } });
    await using alone = pausingWorker(weir);
    await weir.deliver(batchOf("pause"));
    await until("it to stop in its flush", HANG_MS, () => isStopped(alone.pid));
    await Bun.sleep(2 * LEASE_MS);
    alone.kill("SIGCONT");
    await expectStored(weir, 64);
    await weir.deliver(batchOf("after"));
    await expectStored(weir, 128);
    expect(await alone.stop()).toBe(0);
  });
});

function pausingWorker(weir: Weir): HandWorker {
  return new HandWorker({ dataDir: weir.dataDir, env: LEASE, command: [join(import.meta.dir, "pausingWorker.ts")] });
}
