import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Actor } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { readInstallation } from "../../src/health/mod.ts";
import { redrive } from "../../src/intake/redrive.ts";
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
