import { expect, test } from "bun:test";
import { catalogOf } from "../support/catalogOf.ts";
import { HandWorker, KeptWorker, KILLER_WORKER } from "../support/handWorker.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { expectReconciled } from "./cdnowFigures.ts";

/** Only ends a hang: a worker dies of an event six times before it is set aside. */
const WAIT_MS = 300_000;
const SETTINGS = { WEIR_LEASE_TTL_MS: "1000", WEIR_FLUSH_MS: "50", WEIR_WORKERS: "0" };

/** A Weir whose only worker dies of what is named "killer", and is started again. */
async function withKilledWorker(run: (weir: Weir, kept: KeptWorker) => Promise<void>): Promise<void> {
  await using weir = await startWeir({ env: SETTINGS });
  await using kept = new KeptWorker({ dataDir: weir.dataDir, command: [KILLER_WORKER], env: SETTINGS });
  await run(weir, kept);
}

test("an event that killed its workers is stored once when it is sent in again, after a good worker has come", async () => {
  await using weir = await startWeir({ env: SETTINGS });
  const options = { dataDir: weir.dataDir, env: SETTINGS };
  const killer = event("killer", "user-3");
  {
    await using kept = new KeptWorker({ ...options, command: [KILLER_WORKER] });
    await weir.deliver([event("good", "user-1"), killer, event("good", "user-2")]);
    expect(await weir.waitStored(WAIT_MS)).toMatchObject({ stored: 2, dead_letters: 1, accepted: 3 });
    expect(kept.deaths).toBeGreaterThanOrEqual(3);
  }
  await using worker = new HandWorker(options);
  const path = "/api/environments/1/dead_letters/";
  const listed = async () =>
    ((await weir.manage("GET", path)).json as { results: { id: number; redriven_at: string | null }[] }).results;
  const [letter] = await listed();
  const redrive = async () => (await weir.manage("POST", `${path}${letter!.id}/redrive/`)).status;
  expect(await redrive()).toBeLessThan(300);
  const status = await weir.waitStored(WAIT_MS);
  expectReconciled(status);
  expect(status).toMatchObject({ stored: 3, duplicates: 0, dropped: 0, dead_letters: 0, accepted: 3 });
  const stored = `SELECT count() FROM events WHERE uuid = '${killer.uuid}'`;
  expect(await weir.number(stored)).toBe(1);
  // Once more, and by its sender: it stays one.
  expect(await redrive()).toBeGreaterThanOrEqual(400);
  await weir.deliver([killer]);
  const after = await weir.waitStored(WAIT_MS);
  expectReconciled(after);
  expect(after).toMatchObject({ stored: 3, duplicates: 1, dead_letters: 0, accepted: 4 });
  expect(await weir.number(stored)).toBe(1);
  expect(worker.isRunning).toBe(true);
});

async function deadLetters(weir: Weir): Promise<Record<string, unknown>[]> {
  await using records = await catalogOf(weir);
  const rows: Record<string, unknown>[] = await records.db.read(
    (tx) => tx`select lane, reason, event from dead_letters order by lane`,
  );
  return rows.map((row) => ({ ...row }));
}

const event = (name: string, distinctId: string, properties: object = {}) => ({
  uuid: crypto.randomUUID(),
  event: name,
  distinct_id: distinctId,
  properties,
});

test("an event that kills every worker is set aside alone, on the live and on the history lane", async () => {
  await withKilledWorker(async (weir, kept) => {
    for (const historical of [false, true]) {
      const good = () => Array.from({ length: 100 }, (_, i) => event("good", `user-${i % 20}`));
      await weir.deliver([...good(), event("killer", "user-3"), ...good()], { historical });
      await weir.deliver(good(), { historical });
    }
    const status = await weir.waitStored(WAIT_MS);
    expectReconciled(status);
    expect(status).toMatchObject({ stored: 600, duplicates: 0, dropped: 0, dead_letters: 2, accepted: 602 });
    expect(await weir.number("SELECT count(DISTINCT uuid) FROM events WHERE event = 'good'")).toBe(600);
    expect(kept.deaths).toBeGreaterThanOrEqual(3);
    const letters = await deadLetters(weir);
    expect(letters).toMatchObject([
      { lane: "history", reason: "killed_the_worker" },
      { lane: "live", reason: "killed_the_worker" },
    ]);
    for (const letter of letters) expect(JSON.parse(String(letter.event))).toMatchObject({ event: "killer" });
  });
});

test("a merge that kills every worker is set aside alone: its event is stored, the merges beside it happen", async () => {
  await withKilledWorker(async (weir, kept) => {
    const identify = (anonymous: string, name: string) => [
      event("seen", anonymous),
      event("$identify", name, { $anon_distinct_id: anonymous, $set: { name } }),
    ];
    await weir.deliver([...identify("a1", "ann"), ...identify("k1", "killer"), ...identify("b1", "bob")]);
    await weir.deliver(identify("c1", "cat"));
    const status = await weir.waitStored(WAIT_MS);
    expectReconciled(status);
    // The merge is no event: that it was set aside takes nothing from the counts.
    expect(status).toMatchObject({ stored: 8, duplicates: 0, dropped: 0, dead_letters: 0, accepted: 8 });
    expect(kept.deaths).toBeGreaterThanOrEqual(3);
    expect(await deadLetters(weir)).toMatchObject([{ lane: "identity", reason: "killed_the_worker" }]);
    const { results } = await weir.query(
      "SELECT arrayStringConcat(arraySort(groupUniqArray(distinct_id)), ' ') AS ids FROM events GROUP BY person_id ORDER BY ids",
    );
    expect(results.flat()).toEqual(["a1 ann", "b1 bob", "c1 cat", "k1", "killer"]);
    const names = await weir.query("SELECT properties.name FROM persons ORDER BY properties.name");
    expect(names.results.flat()).toEqual(["ann", "bob", "cat", "killer", null]);
  });
});
