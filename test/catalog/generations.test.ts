import { expect, test } from "bun:test";
import { onEveryStore, openNext } from "./everyStore.ts";

onEveryStore("generations", (of) => {
  test("of processes that open the next one at the same moment exactly one does", async () => {
    for (let generation = 2; generation < 12; generation++) {
      const opened = await Promise.all(Array.from({ length: 6 }, () => openNext(of.catalog, generation)));
      expect(opened.filter((isOurs) => isOurs)).toHaveLength(1);
      expect(await of.catalog.currentGeneration()).toMatchObject({ generation, state: "open" });
    }
  });

  test("what waits for frames of a closed one ends, though a front that is late drains it again", async () => {
    const { catalog } = of;
    const { generation } = (await catalog.currentGeneration())!;
    const accepted = { generation, sequences: [{ lane: "live" as const, partition: 0, sequence: 7 }] };
    await catalog.eraseImport({ teamId: 1, importId: "lost", accepted, requestedAtMs: 0 });
    const isErased = async () => {
      await catalog.finishErasures();
      return (await catalog.recordedErasures()).map(({ erasedAtMs }) => erasedAtMs !== null);
    };
    expect(await isErased()).toEqual([false]);
    await openNext(catalog, generation + 1);
    await catalog.drainGeneration(generation);
    expect(await isErased()).toEqual([true]);
  });

  test("a number of partitions that was set holds for all later generations, and no message stays behind", async () => {
    const { db, catalog } = of;
    const first = (await catalog.currentGeneration())!.generation;
    for (const partition of [0, 1]) {
      await db.write(
        (
          tx,
        ) => tx`insert into outbox (message_id, team_id, partition_id, target, body, attempts, due_at_ms, created_at_ms)
          values (${`m${partition}`}, 1, ${partition}, 'hook', '{}', 0, 0, 0)`,
      );
    }
    expect(await catalog.setPartitions(first, 1)).toBe(true);
    expect(await catalog.currentGeneration()).toMatchObject({ generation: first, state: "draining", partitions: 2 });
    // Only an open one is changed.
    expect(await catalog.setPartitions(first, 7)).toBe(false);
    for (const generation of [first + 1, first + 2]) {
      expect(await openNext(catalog, generation)).toBe(true);
      expect(await catalog.currentGeneration()).toMatchObject({ generation, state: "open", partitions: 1 });
      expect((await catalog.committedPositions(generation)).every(({ partition }) => partition === 0)).toBe(true);
    }
    const due: string[] = [];
    for (
      let [next] = await catalog.dueMessages([0], 1);
      next !== undefined;
      [next] = await catalog.dueMessages([0], 1)
    ) {
      due.push(next.messageId);
      await catalog.removeMessage(next.id);
    }
    expect(due).toEqual(["m0", "m1"]);
  });
});
