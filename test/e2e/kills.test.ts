import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CDNOW_FACTS } from "../support/cdnow.ts";
import { isRunning, until } from "../support/processes.ts";
import { type Role, startWeir, type Weir } from "../support/weir.ts";
import { expectCdnowFigures, expectReconciled, importCdnow } from "./cdnowFigures.ts";

const RECOVERY_MS = 60_000;
const CHILDREN: Role[] = ["worker-0", "nats-server", "query-0", "compactor"];
/** After how many acknowledged batches each process dies. */
const KILLS = new Map<number, Role>([
  [8, "worker-0"],
  [20, "nats-server"],
  [32, "query-0"],
  [40, "main"],
  [52, "compactor"],
  [60, "worker-0"],
]);

/** As an operator would: a child is started again by its parent, the main process by whoever runs it. */
async function killAndAwaitRecovery(weir: Weir, role: Role): Promise<void> {
  await until(`${role} to run`, RECOVERY_MS, () => weir.isRunning(role));
  const formerPid = weir.kill9(role);
  await until(`${role} to die`, RECOVERY_MS, () => !isRunning(formerPid), 5);
  if (role === "main") await weir.start();
  else await until(`${role} to be replaced`, RECOVERY_MS, () => weir.isReplaced(role, formerPid));
}

describe("kill -9 of any process", () => {
  let weir: Weir;
  beforeAll(async () => {
    weir = await startWeir();
  }, 90_000);
  afterAll(() => weir[Symbol.asyncDispose]());

  test("during the import loses nothing, stores nothing twice, and the counts reconcile at any time", async () => {
    const recoveries: Promise<void>[] = [];
    let acknowledgedEvents = 0;
    let importing = true;
    const answers = { status: 0, count: 0 };

    const watchCounts = async () => {
      while (importing) {
        const before = acknowledgedEvents;
        const status = await weir.ingestionStatus().catch(() => null);
        if (status !== null) {
          answers.status++;
          expectReconciled(status);
          expect(status.accepted).toBeGreaterThanOrEqual(before);
        }
        await Bun.sleep(50);
      }
    };
    const watchQueries = async () => {
      let highest = 0;
      while (importing) {
        const count = await weir.number("SELECT count() FROM events").catch(() => null);
        if (count !== null) {
          answers.count++;
          expect(count).toBeGreaterThanOrEqual(highest);
          expect(count).toBeLessThanOrEqual(CDNOW_FACTS.events);
          highest = count;
        }
        await Bun.sleep(50);
      }
    };
    const watchers = Promise.all([watchCounts(), watchQueries()]);
    await importCdnow(weir, (batches, events) => {
      acknowledgedEvents = events;
      const role = KILLS.get(batches);
      if (role !== undefined) recoveries.push(killAndAwaitRecovery(weir, role));
    });
    importing = false;
    await watchers;
    await Promise.all(recoveries);
    expect(recoveries.length).toBe(KILLS.size);
    expect(answers.status).toBeGreaterThan(0);
    expect(answers.count).toBeGreaterThan(0);

    const status = await weir.waitStored();
    expectReconciled(status);
    expect(status).toMatchObject({ stored: CDNOW_FACTS.events, dropped: 0, dead_letters: 0 });
    await expectCdnowFigures(weir);
  }, 240_000);

  test("at rest is repaired by itself", async () => {
    for (const role of CHILDREN) await killAndAwaitRecovery(weir, role);
    await until("readiness", RECOVERY_MS, async () => (await weir.status("/_readiness")) === 200);
    await weir.deliver([{ event: "after all", distinct_id: "x" }]);
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events WHERE event = 'after all'")).toBe(1);
    await expectCdnowFigures(weir);
  }, 120_000);

  test("of all processes at once is recovered by the next start, with the same counts", async () => {
    const before = await weir.ingestionStatus();
    const pids = [...CHILDREN, "main" as const].map((role) => weir.kill9(role));
    await until("all of them to die", RECOVERY_MS, () => pids.every((pid) => !isRunning(pid)));
    await weir.start();
    await weir.waitStored();
    expect(await weir.ingestionStatus()).toEqual(before);
    await expectCdnowFigures(weir);
  }, 120_000);
});
