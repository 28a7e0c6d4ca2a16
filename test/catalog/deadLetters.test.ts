import { expect, test } from "bun:test";
import { onEveryStore } from "./everyStore.ts";

onEveryStore("dead letters", (of) => {
  test("that wait are listed by pages, oldest first, of one project or of all", async () => {
    const row = { generation: 1, lane: "live", partition_id: 0, sequence: 1, frame_index: 0, at_ms: 0 };
    const rows = [1, 2, 1, 1, 2, 1].map((team_id) => ({ ...row, team_id, reason: "odd", detail: "", event: "{}" }));
    await of.db.write((tx) => tx`insert into dead_letters ${tx(rows)}`);
    const all = await of.catalog.waitingDeadLetters({ teamId: null, above: 0, upTo: 1_000 }, 10);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    expect(all).toHaveLength(6);
    const [a, , b, c, , d] = all as [number, number, number, number, number, number];
    await of.catalog.markRedriven(b, 0);
    const pageAbove = (above: number, upTo = d) => of.catalog.waitingDeadLetters({ teamId: 1, above, upTo }, 2);
    expect(await pageAbove(0)).toEqual([a, c]);
    expect(await pageAbove(c)).toEqual([d]);
    expect(await pageAbove(c, d - 1)).toEqual([]);
  });
});
