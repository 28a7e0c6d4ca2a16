import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { catalogOf } from "../support/catalogOf.ts";
import { chunked } from "../support/cdnow.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { Random } from "../support/random.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { expectReconciled } from "./cdnowFigures.ts";

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 4, 4, 12);
const MIDNIGHT = Date.UTC(2026, 4, 4);
/** Files are merged as soon as there are two of them. */
const ENV = { WEIR_TEST_CLOCK: "1", WEIR_COMPACT_MS: "50", WEIR_COMPACT_FANOUT: "2", WEIR_FLUSH_MS: "50" };

interface Sending {
  historical?: boolean;
  /** What Weir takes for now. */
  nowMs?: number;
  /** When the client says that it sends, by its own clock. */
  sentAtMs?: number;
}

function eventsOf(count: number, timestampOf: (i: number) => number, distinctId = (i: number) => `user-${i % 50}`) {
  return Array.from({ length: count }, (_, i) => ({
    uuid: crypto.randomUUID(),
    event: "bought",
    distinct_id: distinctId(i),
    timestamp: new Date(timestampOf(i)).toISOString(),
    properties: { i },
  }));
}

describe("events that are sent again", () => {
  let weir: Weir;
  beforeAll(async () => {
    weir = await startWeir({ env: ENV });
  });
  afterAll(() => weir[Symbol.asyncDispose]());

  async function send(events: readonly object[], { historical = false, nowMs, sentAtMs }: Sending = {}): Promise<void> {
    const body = {
      api_key: weir.projectKey,
      historical_migration: historical,
      batch: events,
      ...(sentAtMs === undefined ? {} : { sent_at: new Date(sentAtMs).toISOString() }),
    };
    const headers: Record<string, string> = nowMs === undefined ? {} : { "X-Weir-Now": new Date(nowMs).toISOString() };
    const response = await weir.post("/batch/", JSON.stringify(body), headers);
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
  }

  async function expectCounted(counts: { stored: number; duplicates: number }): Promise<void> {
    const status = await weir.waitStored();
    expectReconciled(status);
    expect(status).toMatchObject({ ...counts, accepted: counts.stored + counts.duplicates });
    const { results } = await weir.query("SELECT count(), count(DISTINCT uuid) FROM events");
    expect(results).toEqual([[counts.stored, counts.stored]]);
  }

  async function compactedFiles(): Promise<number> {
    await using records = await catalogOf(weir);
    const rows: { n: unknown }[] = await records.db.read(
      (tx) => tx`select count(*) as n from segments where level > 0 and kind = 'events'`,
    );
    return Number(rows[0]!.n);
  }

  test("three days later, after a restart and compaction, are known by the five fields", async () => {
    await weir.enterFreshProject();
    const events = eventsOf(300, (i) => NOON - i * 3_600_000);
    for (const part of chunked(events, 100)) {
      await send(part, { nowMs: NOON });
      await weir.waitStored();
    }
    await until("files to be compacted", HANG_MS, async () => (await compactedFiles()) > 0);
    await weir.restart();
    await send(events, { nowMs: NOON + 3 * DAY_MS });
    await expectCounted({ stored: 300, duplicates: 300 });
  });

  test("three days later with a new sent_at are known, though the clock's correction carries some past midnight", async () => {
    await weir.enterFreshProject();
    // From five minutes before midnight to five after it, by the client's clock.
    const events = eventsOf(600, (i) => MIDNIGHT + (i - 300) * 1_000);
    const sendAt = (nowMs: number, clientAheadMs: number) => send(events, { nowMs, sentAtMs: nowMs + clientAheadMs });
    await sendAt(NOON, 120_000);
    await expectCounted({ stored: 600, duplicates: 0 });
    await weir.restart();
    await sendAt(NOON + 3 * DAY_MS, -120_000);
    await expectCounted({ stored: 600, duplicates: 600 });
    expect(await weir.number(`SELECT count() FROM events WHERE timestamp < '2026-05-04 00:00:00'`)).toBe(420);
  });

  for (const historical of [false, true]) {
    const [first, second] = historical ? ["history", "live"] : ["live", "history"];
    test(`on the ${second} lane are known from the ${first} lane, stored or still queued there`, async () => {
      await weir.enterFreshProject();
      const stored = eventsOf(500, () => NOON);
      await send(stored, { historical });
      await weir.waitStored();
      await send(stored, { historical: !historical });
      await expectCounted({ stored: 500, duplicates: 500 });
      const queued = eventsOf(500, () => NOON);
      await Promise.all([send(queued, { historical }), send(queued, { historical: !historical })]);
      await expectCounted({ stored: 1_000, duplicates: 1_000 });
    });
  }

  test("5,000 of one hot distinct_id are counted once, in any order, cut and lane", async () => {
    await weir.enterFreshProject();
    const random = new Random(5_000);
    const events = eventsOf(
      5_000,
      (i) => NOON - i * 1_000,
      () => "hot",
    );
    for (const part of chunked(events, 1_000)) await send(part);
    await expectCounted({ stored: 5_000, duplicates: 0 });
    const cuts = [
      { size: 5_000, historical: false },
      { size: 170, historical: true },
      { size: 900, historical: false },
    ];
    await Promise.all(
      cuts.map(async ({ size, historical }) => {
        for (const part of chunked(random.shuffle(events), size)) await send(part, { historical });
      }),
    );
    await expectCounted({ stored: 5_000, duplicates: 15_000 });
    expect(await weir.number("SELECT count() FROM events WHERE distinct_id = 'hot'")).toBe(5_000);
  });

  test("while compaction runs are never counted twice, in no answer", async () => {
    await weir.enterFreshProject();
    const random = new Random(7);
    const sent: object[][] = [];
    let copies = 0;
    const before = await compactedFiles();
    let over = false;
    const watching = (async () => {
      let answers = 0;
      for (; !over; answers++) {
        const { results } = await weir.query("SELECT count(), count(DISTINCT uuid) FROM events");
        expect(results[0]![0]).toBe(results[0]![1]);
      }
      return answers;
    })();
    const sending = async () => {
      for (let round = 0; round < 40 || (await compactedFiles()) < before + 5; round++) {
        const fresh = eventsOf(100, () => NOON - random.int(0, 2) * DAY_MS);
        await send(fresh, { historical: random.next() < 0.5 });
        sent.push(fresh);
        const again = random.pick(sent);
        await send(again, { historical: random.next() < 0.5 });
        copies += again.length;
        await Bun.sleep(20);
      }
    };
    await Promise.race([sending(), watching]).finally(() => {
      over = true;
    });
    expect(await watching).toBeGreaterThan(0);
    await expectCounted({ stored: sent.length * 100, duplicates: copies });
    await using records = await catalogOf(weir);
    // Compaction looks too, and has nothing to find.
    expect(await records.catalog.lakeFacts()).toMatchObject({ duplicatesMet: 0 });
  });
});

test("X-Weir-Now is refused by capture where the setting does not allow it", async () => {
  await using weir = await startWeir();
  const headers = { "X-Weir-Now": new Date(NOON).toISOString() };
  const response = await weir.post("/batch/", weir.batchBody(eventsOf(1, () => NOON)), headers);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "test_clock" });
});
