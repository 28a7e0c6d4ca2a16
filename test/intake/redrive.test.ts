import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Actor } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { readDeadLetters } from "../../src/commands/deadLetters.ts";
import { readArguments } from "../../src/commands/kit/command.ts";
import { readInstallation } from "../../src/health/mod.ts";
import { redrive } from "../../src/intake/redrive.ts";
import type { Db, Tx } from "../../src/store/mod.ts";
import { event, Rig } from "../runtime/rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const refusing: Actor = {
  name: "refusing",
  step(batch) {
    if (batch.some(({ event }) => event.event === "bad")) throw new Error("not this one");
    return {};
  },
};

test("an event that an actor fails on is set aside alone, and is stored when it is sent in again after a repair", async () => {
  const broken = await rig.startWorker({ actors: [refusing, ...ACTORS] });
  await rig.publish([event("good"), event("bad"), event("good")]);
  expect(await rig.settled(3)).toMatchObject({ stored: 2, deadLetters: 1 });
  await rig.stopWorker(broken);

  const { items: letters, count } = await rig.catalog.readDeadLetters(
    { teamId: 1, waitingOnly: true },
    { limit: 9, offset: 0 },
  );
  expect(count).toBe(1);
  expect(letters[0]).toMatchObject({ reason: "actor_failed", detail: "not this one", lane: "live" });
  expect(await rig.catalog.findDeadLetter(letters[0]!.id, 2)).toBeNull();

  await redrive({ catalog: rig.catalog, publisher: rig.publisher }, letters[0]!, Date.now());
  expect(await rig.catalog.markRedriven(letters[0]!.id, Date.now())).toBe(false);
  await rig.startWorker();
  expect(await rig.settled(3)).toMatchObject({ stored: 3, deadLetters: 0 });
  expect((await rig.rows()).map((row) => row.event).sort()).toEqual(["bad", "good", "good"]);
  expect((await rig.catalog.readDeadLetters({ teamId: 1, waitingOnly: true }, { limit: 9, offset: 0 })).count).toBe(0);
});

/** The same store, and the largest answer that one read of it gave, as JSON. */
function measured(db: Db): { db: Db; largest(): number } {
  let most = 0;
  const read = async <T>(body: (tx: Tx) => Promise<T>): Promise<T> => {
    const answer = await db.read(body);
    most = Math.max(most, JSON.stringify(answer ?? null).length);
    return answer;
  };
  const own = { dialect: db.dialect, nowMs: () => db.nowMs(), write: db.write.bind(db), close: () => db.close(), read };
  return { db: own, largest: () => most };
}

test("`weir dead-letters redrive --every` sends in all that wait, in their order, and holds one at a time", async () => {
  const COUNT = 1_200;
  const pad = "x".repeat(2_000);
  const row = { generation: 1, lane: "live", partition_id: 0, sequence: 1, frame_index: 0, at_ms: 0 };
  const letterOf = (text: string, team_id = 1) => ({
    ...row,
    team_id,
    reason: "actor_failed",
    detail: pad,
    event: text,
  });
  const letters = Array.from({ length: COUNT }, (_, i) => letterOf(JSON.stringify(event(`e${i}`, "one person"))));
  const others = [letterOf(""), letterOf(JSON.stringify(event("of another project")), 2)];
  await rig.db.write((tx) => tx`insert into dead_letters ${tx([...others, ...letters])}`);
  const { db, largest } = measured(rig.db);
  const options = { every: "flag", project: "text" } as const;
  const given = readArguments(["redrive", "--every", "--project", "1"], options, 1);
  const { text } = await readDeadLetters(given, { ...rig.config, natsUrl: rig.broker.url })(db);
  expect(text).toBe(`${COUNT} events are sent in again.`);
  expect(largest()).toBeLessThan(10 * pad.length);

  await rig.startWorker();
  expect(await rig.settled(COUNT)).toMatchObject({ stored: COUNT });
  expect((await rig.rows()).map((row) => row.event)).toEqual(letters.map((_, i) => `e${i}`));
  const page = { limit: 9, offset: 0 };
  expect((await rig.catalog.readDeadLetters({ teamId: null, waitingOnly: true }, page)).items).toMatchObject([
    { teamId: 2 },
    { teamId: 1, event: "" },
  ]);
});

test("the status shows who owns what, and what is behind", async () => {
  await rig.publish([event("waiting", "a"), event("waiting", "b"), event("waiting", "c")]);
  const disk = { freeBytes: 2, totalBytes: 3 };
  const status = () => readInstallation({ ...rig, queue: null, disk }, Date.now());
  const before = await status();
  expect(before).toMatchObject({ generation: 1, state: "open", members: [], queued: { events: 3 }, files: [] });
  expect(before.partitions.filter(({ lanes }) => lanes.live.last > lanes.live.position).length).toBeGreaterThan(0);

  const workers = [await rig.startWorker({ id: "worker-1" }), await rig.startWorker({ id: "worker-2" })];
  await rig.settled(3);
  const after = await status();
  expect(after.queued).toEqual({ events: 0, lag_ms: 0 });
  expect(after.members).toEqual(["worker-1", "worker-2"]);
  expect(after.partitions.every(({ alive, epoch }) => alive && epoch > 0)).toBe(true);
  expect(after.files.map(({ kind, state }) => `${kind} ${state}`)).toEqual(["events live", "log live"]);
  await rig.stopWorker(workers[0]!);
  await rig.stopWorker(workers[1]!);
  expect((await status()).members).toEqual([]);
});
