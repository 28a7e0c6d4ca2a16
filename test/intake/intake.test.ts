import { afterEach, beforeEach, expect, test } from "bun:test";
import { DiskGuard } from "../../src/intake/disk.ts";
import { Intake } from "../../src/intake/intake.ts";
import { streamName } from "../../src/stream/mod.ts";
import { loseStream } from "../runtime/loseStream.ts";
import { event, Rig } from "../runtime/rig.ts";

let rig: Rig;
let intake: Intake;

async function openIntake(minFreeBytes = 0): Promise<Intake> {
  const { config, bus, catalog, dataDir } = rig;
  const disk = new DiskGuard(dataDir, minFreeBytes);
  const opened = new Intake({ purges: true, config, bus, catalog, disk, log: (line) => rig.log.push(line) });
  await opened.start();
  return opened;
}

beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(async () => {
  await intake.close();
  await rig.close();
});

const batch = (count: number) => ({
  teamId: 1,
  lane: "live" as const,
  events: Array.from({ length: count }, (_, i) => event("taken", `p${i}`)),
  dropped: { missing_event_name: 1 },
});

test("the status adds up while events are queued and after they are stored", async () => {
  intake = await openIntake();
  await intake.publish(batch(7));
  expect(await intake.status(1)).toMatchObject({ accepted: 8, queued: 8, stored: 0, dropped: 0 });
  await intake.publish({ ...batch(0), dropped: { missing_distinct_id: 5 } });
  expect(await intake.status(1)).toMatchObject({ accepted: 13, queued: 13 });
  await rig.startWorker();
  await rig.settled(7);
  const status = await intake.status(1);
  expect(status).toMatchObject({ accepted: 13, stored: 7, duplicates: 0, dead_letters: 0 });
  expect(status.queued + status.dropped).toBe(6);
  expect(await intake.status(2)).toMatchObject({ accepted: 0, queued: 0, lag_ms: 0 });
});

test("group types that a request describes have their indexes in its order when it is accepted, a sixth none", async () => {
  intake = await openIntake();
  const describe = (type: string) => {
    const properties = JSON.stringify({ $group_type: type, $group_key: "k" });
    return { ...event("$groupidentify", `$${type}_k`), properties };
  };
  const send = (types: string[]) => intake.publish({ ...batch(0), events: types.map(describe) });
  await send(["project", "company", "company", "team"]);
  await send(["one", "team", "two", "three"]);
  await send(["four"]);
  const types = await rig.catalog.readGroupTypes(1);
  expect([...types.keys()]).toEqual(["project", "company", "team", "one", "two"]);
});

test("a broker that counts backwards is noticed: nothing is promised, and a new generation takes over", async () => {
  intake = await openIntake();
  await rig.startWorker();
  for (let i = 0; i < 5; i++) await intake.publish({ ...batch(1), events: [event("before", "same")], dropped: {} });
  await rig.settled(5);
  await loseStream(rig.broker.url, streamName("live", 1));
  await rig.bus.ensureStream({ lane: "live", generation: 1, maxBytes: rig.config.liveStreamMaxBytes });

  const after = { ...batch(1), events: [event("after", "same")], dropped: {} };
  await expect(intake.publish(after)).rejects.toMatchObject({ code: "sequence_went_back", retryable: true });
  // What a client does: the same events again until they are taken.
  for (const giveUpAt = Date.now() + 30_000; ; await Bun.sleep(50)) {
    const taken = await intake.publish(after).then(
      () => true,
      () => false,
    );
    if (taken) break;
    if (Date.now() > giveUpAt) throw new Error(rig.log.join("\n"));
  }
  expect(await rig.settled(6, 2)).toMatchObject({ stored: 6, duplicates: 0 });
  expect(rig.log.some((line) => line.startsWith("ALARM"))).toBe(true);
});

test("a full disk is refused before anything is published", async () => {
  intake = await openIntake(Number.MAX_SAFE_INTEGER);
  expect(intake.refusal()).toMatchObject({ code: "disk_full", retryable: true });
  await expect(intake.publish(batch(1))).rejects.toMatchObject({ code: "disk_full" });
});
