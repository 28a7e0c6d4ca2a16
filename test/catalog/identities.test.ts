import { expect, test } from "bun:test";
import { type IdentityNode, personIdOf } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { type OpenStore, onEveryStore } from "./everyStore.ts";

const TEAM = 7;
/** More than one statement writes. */
const MANY = 6_000;

function nodeOf(distinctId: string, survivor = distinctId, teamId = TEAM): IdentityNode {
  const [personId, survivorId] = [personIdOf(teamId, distinctId), personIdOf(teamId, survivor)];
  const moves = survivor === distinctId ? [] : [{ into: survivorId, tMs: 1_700_000_000_000, ordinal: 2 ** 40 + 1 }];
  return { teamId, distinctId, personId, survivorId, isIdentified: survivor === distinctId, moves };
}

async function read({ catalog }: OpenStore, distinctIds: readonly string[], teamId = TEAM): Promise<IdentityNode[]> {
  const nodes = await catalog.readIdentities(
    new Map([[teamId, new Set(distinctIds.map((id) => personIdOf(teamId, id)))]]),
  );
  return nodes.sort((a, b) => (a.distinctId < b.distinctId ? -1 : 1));
}

onEveryStore("merges", (of) => {
  test("a person is read with all its ids and nobody else's, and a node is written over", async () => {
    const odd = `quote " back\\slash 'text' 名`;
    const nodes = [nodeOf("a", "b"), nodeOf("b"), nodeOf(odd, "b"), nodeOf("x", "y"), nodeOf("y"), nodeOf("a", "a", 8)];
    await of.catalog.commit(commitOf({ identities: nodes }));
    expect(await read(of, [odd])).toEqual([nodeOf("a", "b"), nodeOf("b"), nodeOf(odd, "b")]);
    expect(await read(of, ["a", "b", "unknown"])).toHaveLength(3);
    expect(await read(of, ["unknown"])).toEqual([]);
    expect(await read(of, ["a"], 8)).toEqual([nodeOf("a", "a", 8)]);

    await of.catalog.commit(commitOf({ identities: [nodeOf("b", "y"), nodeOf("a", "y"), nodeOf(odd, "y")] }));
    expect((await read(of, ["x"])).map(({ distinctId }) => distinctId)).toEqual(["a", "b", odd, "x", "y"]);
    expect(await read(of, ["b"])).toContainEqual(nodeOf("a", "y"));
  });

  test("a commit takes many merges, and a look-up of many finds each", async () => {
    const pairs = Array.from({ length: MANY }, (_, i) => [nodeOf(`anon ${i}`, `user ${i}`), nodeOf(`user ${i}`)]);
    await of.catalog.commit(commitOf({ identities: pairs.flat() }));
    const found = await read(
      of,
      pairs.map(([anon]) => anon!.distinctId),
    );
    expect(found).toHaveLength(2 * MANY);
    expect(await read(of, ["user 4321"])).toEqual([nodeOf("anon 4321", "user 4321"), nodeOf("user 4321")]);
  });

  test("merging events count as such until the frame of their copies is committed", async () => {
    const [claim] = await of.catalog.claim({ owner: "m", generation: 1, partitions: [1] });
    const epochs = [claim!.epoch];
    const merging = [
      { teamId: TEAM, partition: 1, sequence: 5, events: 3 },
      { teamId: 8, partition: 1, sequence: 5, events: 1 },
      { teamId: TEAM, partition: 1, sequence: 9, events: 2 },
    ];
    const counted = async () => (await of.catalog.settledCounts(TEAM, 1)).merging;
    await of.catalog.commit(commitOf({ epochs, merging }));
    // Of the same frame, from another partition of events.
    await of.catalog.commit(commitOf({ epochs, merging: [{ teamId: TEAM, partition: 1, sequence: 5, events: 4 }] }));
    expect(await counted()).toBe(9);

    const moves = [{ lane: "identity" as const, partition: 1, from: 0, to: 5, lastMs: 0 }];
    await of.catalog.commit(commitOf({ epochs, moves }));
    expect(await counted()).toBe(2);
    // Their merges are settled by now.
    await of.catalog.commit(commitOf({ epochs, merging: [{ teamId: TEAM, partition: 1, sequence: 4, events: 1 }] }));
    expect(await counted()).toBe(2);
    await of.catalog.commit(commitOf({ epochs, moves: [{ ...moves[0]!, from: 5, to: 9 }] }));
    expect(await counted()).toBe(0);
  });
});
