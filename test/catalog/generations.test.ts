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
});
