import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Delivered } from "../../actors/contract.ts";
import { identityActor } from "../../actors/identity.ts";
import { mergeRequest } from "../../src/persons/mod.ts";
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

const RANDOM_CASES = 40;
const KNOWN = { states: new Map(), groupTypes: () => new Map(), person: () => null };

/** A message of the identity lane. */
function request(teamId: number, index: number, merge: { kind: string; source: string; target: string }): Delivered {
  const uuid = crypto.randomUUID();
  const about = { teamId, uuid, event: "$identify", distinctId: merge.target, timestampMs: 1_700_000_000_000 };
  const flags = { elementsChain: "", flags: 0, mergedAtMs: 0, mergeSequence: 0 };
  const event = mergeRequest({ ...about, ...flags }, merge as Parameters<typeof mergeRequest>[1], "live");
  const version = { tMs: 1_700_000_000_000, source: 2, ordinal: index } as const;
  return { event, lane: "identity", partition: 0, sequence: 1, index, storedAtMs: 1_700_000_000_000, version };
}

/** Of a database of PostgreSQL, once the nodes of a begun commit are in it. */
async function endOtherConnections({ db }: OpenStore): Promise<void> {
  const ended = () =>
    db.read<unknown[]>(
      (tx) => tx`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and state = 'idle in transaction' and query like 'insert into identities%'`,
    );
  while ((await ended()).length === 0) await Bun.sleep(5);
}

async function rowsOf({ db }: OpenStore, teamId: number): Promise<number> {
  const rows: { n: unknown }[] = await db.read(
    (tx) => tx`select count(*) as n from identities where team_id = ${teamId}`,
  );
  return Number(rows[0]?.n);
}

const sorted = (nodes: readonly IdentityNode[]) => nodes.toSorted((a, b) => (a.distinctId < b.distinctId ? -1 : 1));

async function read({ catalog }: OpenStore, distinctIds: readonly string[], teamId = TEAM): Promise<IdentityNode[]> {
  const nodes = await catalog.readIdentities(
    new Map([[teamId, new Set(distinctIds.map((id) => personIdOf(teamId, id)))]]),
  );
  return sorted(nodes);
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

    await of.catalog.commit(
      commitOf({ identities: [nodeOf("b", "y"), nodeOf("a", "y"), nodeOf(odd, "y"), nodeOf("y")] }),
    );
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

  test("nodes of a commit that was begun are seen once it is finished, and never where it is given up or refused", async () => {
    const pairOf = (name: string) => [nodeOf(name, `${name}2`), nodeOf(`${name}2`)];
    const begun = of.catalog.beginCommit(pairOf("begun"));
    // SQLite has one writer at a time.
    expect(begun !== null).toBe(of.db.dialect === "postgres");
    // Another commit does not wait for it.
    await of.catalog.commit(commitOf({ identities: pairOf("beside") }));
    expect(await read(of, ["begun"])).toEqual([]);
    await of.catalog.commit(commitOf({ identities: pairOf("begun") }), begun);
    expect(await read(of, ["begun"])).toEqual(pairOf("begun"));
    await begun?.[Symbol.asyncDispose]();
    expect(await read(of, ["begun"])).toEqual(pairOf("begun"));

    await of.catalog.beginCommit(pairOf("given up"))?.[Symbol.asyncDispose]();
    expect(await read(of, ["given up"])).toEqual([]);

    const refused = commitOf({ identities: pairOf("refused"), epochs: [{ partition: 1, epoch: 99 }] });
    const commit = of.catalog.commit(refused, of.catalog.beginCommit(refused.identities));
    await expect(commit).rejects.toMatchObject({ code: "commit_refused" });
    expect(await read(of, ["refused"])).toEqual([]);
  });

  test("a commit whose connection is lost after it was begun can be made again", async () => {
    const nodes = [nodeOf("lost", "lost2"), nodeOf("lost2")];
    const begun = of.catalog.beginCommit(nodes);
    const facts = commitOf({ identities: nodes });
    if (begun !== null) {
      await endOtherConnections(of);
      await expect(of.catalog.commit(facts, begun)).rejects.toMatchObject({ code: "store_unreachable" });
      expect(await read(of, ["lost"])).toEqual([]);
    }
    await of.catalog.commit(facts);
    expect(await read(of, ["lost"])).toEqual(nodes);
  });

  test("nodes that are kept between commits are those of all requests at once, however these are cut", async () => {
    const id = fc.constantFrom(..."abcdefgh");
    const kind = fc.constantFrom("identify", "alias", "dangerous");
    let team = 1_000;
    const requests = fc.array(fc.record({ kind, source: id, target: id, isLast: fc.boolean() }), { maxLength: 24 });
    const property = fc.asyncProperty(requests, async (asked) => {
      const teamId = ++team;
      const requested = asked.map(({ kind, source, target }, i) => request(teamId, i, { kind, source, target }));
      const atOnce = identityActor.step(requested, { ...KNOWN, identities: [] }).identities ?? [];
      let batch: Delivered[] = [];
      for (const [i, at] of requested.entries()) {
        batch.push(at);
        if (!asked[i]!.isLast && i < asked.length - 1) continue;
        const known = await of.catalog.readIdentities(identityActor.needs!(batch).identities!);
        const { identities = [] } = identityActor.step(batch, { ...KNOWN, identities: known });
        await of.catalog.commit(commitOf({ identities: [...identities] }));
        batch = [];
      }
      expect(await read(of, [..."abcdefgh"], teamId)).toEqual(sorted(atOnce));
    });
    await fc.assert(property, { numRuns: RANDOM_CASES });
  });

  test("a survivor is written with what was moved to it, and its flag counts wherever it stands", async () => {
    const team = 900;
    const [a, b] = [nodeOf("a", "b", team), nodeOf("b", "b", team)];
    await of.catalog.commit(commitOf({ identities: [a, { ...b, isIdentified: false }] }));
    expect(await rowsOf(of, team)).toBe(1);
    expect(await read(of, ["b"], team)).toEqual([a, { ...b, isIdentified: false }]);
    await of.catalog.commit(commitOf({ identities: [b] }));
    expect(await rowsOf(of, team)).toBe(2);
    expect(await read(of, ["a"], team)).toEqual([a, b]);
    await of.catalog.commit(commitOf({ identities: [nodeOf("c", "b", team), b] }));
    expect(await rowsOf(of, team)).toBe(3);
    expect(await read(of, ["c"], team)).toEqual([a, b, nodeOf("c", "b", team)]);
    // Rows of before survivors were written with others.
    await of.db.write(
      (tx) => tx`update identities set survivor_distinct_id = null, survivor_identified = 0 where team_id = ${team}`,
    );
    expect(await read(of, ["c"], team)).toEqual([a, b, nodeOf("c", "b", team)]);
    expect(of.catalog.commit(commitOf({ identities: [nodeOf("d", "e", team)] }))).rejects.toThrow(
      "not among the changes",
    );
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

  test("a person is deleted with all its ids, in a store where no actor keeps anything", async () => {
    const team = 91;
    const nodes = [nodeOf("a", "b", team), nodeOf("b", "b", team), nodeOf("c", "d", team), nodeOf("d", "d", team)];
    await of.catalog.commit(commitOf({ identities: nodes }));
    const order = { teamId: team, accepted: { generation: 1, sequences: [] }, requestedAtMs: 1, withEvents: true };
    const erase = (distinctId: string) =>
      of.catalog.erasePerson({ ...order, personId: personIdOf(team, distinctId), distinctIds: [distinctId] });
    expect(await erase("a")).toBe(false);
    expect(await erase("b")).toBe(true);
    expect(await read(of, ["a", "b"], team)).toEqual([]);
    expect(await read(of, ["c"], team)).toEqual(nodes.slice(2));
    const { erasures } = (await of.catalog.waitingErasures(0))!;
    const personIds = ["a", "b"].map((distinctId) => personIdOf(team, distinctId)).sort();
    expect(erasures.map((erasure) => erasure.kind === "person" && erasure.personIds.toSorted())).toEqual([personIds]);
  });
});
