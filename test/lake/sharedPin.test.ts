import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { SharedPin } from "../../src/lake/querying/sharedPin.ts";
import { until } from "../support/broker.ts";
import { row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const lake = await TestLake.open();
afterAll(() => lake.close());

function open() {
  const taken: number[] = [];
  const messages: string[] = [];
  let isAway = false;
  const store = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isAway) throw new Error("away");
    return call();
  };
  const catalog = {
    holdFiles: (ttlMs: number) => {
      taken.push(ttlMs);
      return store(() => lake.catalog.holdFiles(ttlMs));
    },
    unpin: (id: string) => store(() => lake.catalog.unpin(id)),
  };
  const pin = new SharedPin({ catalog, log: (message) => messages.push(message) });
  const setAway = (away: boolean) => {
    isAway = away;
  };
  return { pin, taken, messages, setAway };
}

async function pins(): Promise<number> {
  return (await lake.catalog.catalogFacts(1)).pins;
}

describe("the pin of queries", () => {
  test("is shared by those that begin together, and goes when the last has ended", async () => {
    const { pin, taken } = open();
    const gate = Promise.withResolvers<void>();
    const first = pin.during(5_000, () => gate.promise);
    expect(await Promise.all([1, 2, 3].map((n) => pin.during(4_000, async () => n)))).toEqual([1, 2, 3]);
    expect(taken).toHaveLength(1);
    expect(taken[0]).toBeGreaterThanOrEqual(5_000);
    // Those that come later have one of their own, so that no file is kept for ever.
    await until(async () => {
      await pin.during(1_000, async () => {});
      return taken.length > 1;
    });
    expect(await pins()).toBeGreaterThanOrEqual(1);
    gate.resolve();
    await first;
    await until(async () => (await pins()) === 0);
    await pin.close();
  });

  test("holds for as long as each asks for", async () => {
    const { pin, taken } = open();
    await pin.during(1_000, async () => {});
    await pin.during(60_000, async () => {});
    expect(taken).toHaveLength(2);
    expect(taken[1]).toBeGreaterThanOrEqual(60_000);
    await pin.during(1_000, async () => {});
    expect(taken).toHaveLength(2);
    await pin.close();
    expect(await pins()).toBe(0);
  });

  test("keeps a file that is replaced under a query that began after it was taken", async () => {
    const { pin, taken } = open();
    await pin.during(5_000, async () => {});
    const stored = [await lake.store([row(1)]), await lake.store([row(2)])];
    const compactor = lake.compactor();
    await pin.during(5_000, async () => {
      while (await compactor.step());
      await compactor.collect();
      const { segments } = await lake.catalog.readSnapshot({ teamId: 1, fromMs: null, toMs: null });
      expect(segments).toHaveLength(1);
      expect(taken).toHaveLength(1);
      for (const { id } of stored) expect(existsSync(lake.storage.locate({ id, part: "rows" }))).toBe(true);
    });
    await pin.close();
    await compactor.collect();
    for (const { id } of stored) expect(existsSync(lake.storage.locate({ id, part: "rows" }))).toBe(false);
  });

  test("fails for its queries when the store does, and is taken anew by the next", async () => {
    const { pin, messages, setAway } = open();
    setAway(true);
    const asked = [1, 2].map((n) => pin.during(1_000, async () => n));
    for (const one of await Promise.allSettled(asked)) expect(one.status).toBe("rejected");
    setAway(false);
    expect(await pin.during(1_000, async () => 3)).toBe(3);
    await pin.close();
    expect(messages).toEqual(["unpin: away"]);
    expect(await pins()).toBe(0);
  });
});
