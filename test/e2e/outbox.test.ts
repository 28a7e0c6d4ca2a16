import { expect, test } from "bun:test";
import { join } from "node:path";
import { KeptWorker } from "../support/handWorker.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";
import { expectReconciled } from "./cdnowFigures.ts";

const USERS = 4;
const ORDERS = 60;
/**
 * After how many messages the worker dies, before it learns that the last one arrived. With a fourth, a receipt that waited
 * through all of them could be taken for the killer.
 */
const KILLS = new Set([3, 40, 130]);
/** At this one the receiver fails once. */
const FAILURE = 50;

interface Received {
  key: string;
  distinct_id: string;
  serial: number;
}

test("messages of actors arrive at least once, in order, under one key; their events are stored once; whenever a worker dies", async () => {
  const received: Received[] = [];
  let onMessage: (count: number) => Response = () => new Response();
  using receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Omit<Received, "key">;
      const answer = onMessage(received.length + 1);
      if (answer.ok) received.push({ key: request.headers.get("idempotency-key") ?? "", ...body });
      return answer;
    },
  });
  const settings = { WEIR_LEASE_TTL_MS: "1000", WEIR_FLUSH_MS: "50" };
  await using weir = await startWeir({ env: { ...settings, WEIR_WORKERS: "0" } });
  await using kept = new KeptWorker({
    dataDir: weir.dataDir,
    command: [join(import.meta.dir, "notifyingWorker.ts")],
    env: { ...settings, WEBHOOK_URL: `http://127.0.0.1:${receiver.port}/hook` },
  });
  let hasFailed = false;
  onMessage = (count) => {
    if (KILLS.has(count)) kept.worker.kill("SIGKILL");
    const fails = count === FAILURE && !hasFailed;
    hasFailed ||= fails;
    return new Response(null, { status: fails ? 500 : 200 });
  };
  for (let serial = 0; serial < ORDERS; serial += 10) {
    const batch = Array.from({ length: 10 * USERS }, (_, i) => ({
      uuid: crypto.randomUUID(),
      event: "order",
      distinct_id: `user-${i % USERS}`,
      properties: { serial: serial + Math.floor(i / USERS) },
    }));
    await weir.deliver(batch);
  }

  const keys = () => new Set(received.map(({ key }) => key)).size;
  await until("all messages", HANG_MS, () => keys() === USERS * ORDERS);
  await until("all receipts", HANG_MS, async () => {
    return (await weir.number("SELECT count() FROM events WHERE event = 'receipt'")) === USERS * ORDERS;
  });
  expect(kept.deaths).toBe(KILLS.size);
  for (let user = 0; user < USERS; user++) {
    const ofUser = received.filter((message) => message.distinct_id === `user-${user}`);
    // A copy comes before the next message, never after it.
    const firsts = ofUser.filter(({ key }, i) => key !== ofUser[i - 1]?.key);
    expect(firsts.map(({ serial }) => serial)).toEqual(Array.from({ length: ORDERS }, (_, i) => i));
  }
  // What died with the answer came again.
  expect(received.length).toBeGreaterThan(USERS * ORDERS);
  const status = await weir.waitStored();
  expectReconciled(status);
  expect(status).toMatchObject({ stored: 2 * USERS * ORDERS, dropped: 0, dead_letters: 0 });
  expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(2 * USERS * ORDERS);
});
