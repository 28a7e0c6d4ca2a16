import { expect, test } from "bun:test";
import { weirOn } from "../commands/weirProcess.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { TEST_SEED } from "../support/seed.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { Client } from "./chaos/client.ts";
import { Ledger } from "./chaos/ledger.ts";
import { People } from "./chaos/people.ts";
import { expectPeople, expectStoredOnce } from "./chaos/reconcile.ts";

const CLIENTS = 3;

/** Waits until so many more requests were answered. */
function answered(ledger: Ledger, more: number): Promise<boolean> {
  const enough = ledger.requests + more;
  return until("requests to be answered", HANG_MS, () => ledger.requests >= enough);
}

async function partitionsOf(weir: Weir) {
  const { json } = await weir.manage("GET", "/api/installation/status/");
  const { generation, partitions } = json as { generation: number; partitions: { alive: boolean }[] };
  return { generation, partitions: partitions.length };
}

test("fewer and more partitions under load: stored once, in order, and the same persons", async () => {
  await using weir = await startWeir({ env: { WEIR_WORKERS: "2" } });
  const ledger = new Ledger();
  const people = new People();
  let over = false;
  const clients = Array.from({ length: CLIENTS }, (_, i) => new Client(weir, `c${i}`, TEST_SEED + i, ledger, people));
  const load = Promise.all(clients.map((client) => client.run(() => over)));
  const change = async () => {
    await answered(ledger, 100);
    for (const [count, generation] of [
      [5, 2],
      [24, 3],
    ] as const) {
      const set = await weirOn(weir.dataDir, ["partitions", "set", String(count)]);
      expect(set).toMatchObject({ out: `${count}\n`, code: 0 });
      await answered(ledger, 100);
      expect(await partitionsOf(weir)).toEqual({ generation, partitions: count });
    }
  };
  await Promise.race([change(), load]).finally(() => {
    over = true;
  });
  await load;
  expect((await weirOn(weir.dataDir, ["partitions"])).out).toBe("24\n");
  // The number stands, whatever WEIR_PARTITIONS says.
  await weir.restart();
  expect(await partitionsOf(weir)).toEqual({ generation: 3, partitions: 24 });
  await expectStoredOnce(weir, ledger, { generation: 3 });
  await expectPeople(weir, people);
});

test("a number that cannot be is refused, and the same one changes nothing", async () => {
  await using weir = await startWeir();
  for (const [count, problem] of [
    ["0", "whole number from 1 to 1024"],
    ["many", "whole number from 1 to 1024"],
  ] as const) {
    const { code, error } = await weirOn(weir.dataDir, ["partitions", "set", count]);
    expect(code).toBe(2);
    expect(error).toContain(problem);
  }
  expect(await weirOn(weir.dataDir, ["partitions", "set", "16"])).toMatchObject({ out: "16\n", code: 0 });
  expect(await partitionsOf(weir)).toEqual({ generation: 1, partitions: 16 });
});
