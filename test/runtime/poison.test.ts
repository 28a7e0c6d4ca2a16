import { afterEach, beforeEach, expect, test } from "bun:test";
import { KeptWorker, KILLER_WORKER } from "../support/handWorker.ts";
import { event, Rig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

test("an event that kills every worker is found and set aside; the rest of its frame is stored", async () => {
  const good = Array.from({ length: 12 }, () => event("good", "one-person"));
  await rig.publish([...good.slice(0, 5), event("killer", "one-person"), ...good.slice(5)]);
  await rig.publish(Array.from({ length: 20 }, (_, i) => event("elsewhere", `p${i}`)));
  const env = { NATS_URL: rig.broker.url, WEIR_FLUSH_MS: "20", WEIR_LEASE_TTL_MS: "500" };
  await using kept = new KeptWorker({ dataDir: rig.dataDir, command: [KILLER_WORKER], env });
  expect(await rig.settled(33)).toMatchObject({ stored: 32, deadLetters: 1, duplicates: 0 });
  expect(kept.deaths).toBeGreaterThanOrEqual(3);
  const letters = await rig.db.read((tx) => tx`select reason, event from dead_letters`);
  expect(letters).toHaveLength(1);
  expect(letters[0].reason).toBe("killed_the_worker");
  expect(JSON.parse(letters[0].event).event).toBe("killer");
  const rows = await rig.rows();
  expect(rows).toHaveLength(32);
  expect(rows.filter((row) => row.event === "good").map((row) => row.uuid)).toEqual(good.map((e) => e.uuid));
});
