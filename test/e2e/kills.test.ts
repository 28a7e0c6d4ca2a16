import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HANG_MS, isRunning, until } from "../support/processes.ts";
import { EXPORTING, type Role, startWeir, type Weir } from "../support/weir.ts";
import { expectCdnowFigures, importCdnow } from "./cdnowFigures.ts";

const CHILDREN: Role[] = ["worker-0", "front", "api", "nats-server", "query-0", "compactor", "exporter-0"];
/** As an operator would: a child is started again by its parent, the main process by whoever runs it. */
async function killAndAwaitRecovery(weir: Weir, role: Role): Promise<void> {
  await until(`${role} to run`, HANG_MS, () => weir.isRunning(role));
  const formerPid = weir.kill9(role);
  await until(`${role} to die`, HANG_MS, () => !isRunning(formerPid), 5);
  if (role === "main") await weir.start();
  else await until(`${role} to be replaced`, HANG_MS, () => weir.isReplaced(role, formerPid));
}

describe("kill -9, while nothing is sent,", () => {
  let weir: Weir;
  beforeAll(async () => {
    weir = await startWeir({ env: EXPORTING });
    await importCdnow(weir);
    await weir.waitStored();
  });
  afterAll(() => weir[Symbol.asyncDispose]());

  test("of each process is repaired by itself", async () => {
    for (const role of CHILDREN) await killAndAwaitRecovery(weir, role);
    await until("readiness", HANG_MS, async () => (await weir.status("/_readiness")) === 200);
    await weir.deliver([{ event: "after all", distinct_id: "x" }]);
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events WHERE event = 'after all'")).toBe(1);
    await expectCdnowFigures(weir);
  });

  test("of all processes at once is recovered by the next start, with the same counts", async () => {
    const before = await weir.ingestionStatus();
    const pids = [...CHILDREN, "main" as const].map((role) => weir.kill9(role));
    await until("all of them to die", HANG_MS, () => pids.every((pid) => !isRunning(pid)));
    await weir.start();
    await weir.waitStored();
    expect(await weir.ingestionStatus()).toEqual(before);
    await expectCdnowFigures(weir);
  });
});
