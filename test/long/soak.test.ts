import { expect, test } from "bun:test";
import { expectReconciled } from "../e2e/cdnowFigures.ts";
import { isRunning, until } from "../support/processes.ts";
import { type Role, startWeir } from "../support/weir.ts";

const SOAK_MS = 5 * 60_000;
const CONNECTIONS = 3;
const BATCH_EVENTS = 200;
const RECOVERY_MS = 60_000;
const ROLES: Role[] = ["worker-0", "nats-server", "query-0", "query-1", "compactor", "main"];

/** Kills at random moments, whatever is going on: batches on both lanes, copies of earlier ones, questions. */
test(
  "five minutes of load and kills: every event is stored once",
  async () => {
    await using weir = await startWeir();
    const endAt = Date.now() + SOAK_MS;
    const sent: { events: object[]; historical: boolean }[] = [];
    let distinct = 0;
    let copies = 0;

    const send = async () => {
      while (Date.now() < endAt) {
        const isCopy = sent.length > 0 && Math.random() < 0.2;
        const batch = isCopy
          ? sent[Math.floor(Math.random() * sent.length)]!
          : {
              historical: Math.random() < 0.5,
              events: Array.from({ length: BATCH_EVENTS }, () => ({
                uuid: crypto.randomUUID(),
                event: "soak",
                distinct_id: `user-${Math.floor(Math.random() * 1_000)}`,
                timestamp: new Date(Date.UTC(2024, 0, 1) + Math.random() * 90 * 86_400_000).toISOString(),
                properties: { value: Math.random() },
              })),
            };
        await weir.deliver(batch.events, batch);
        if (isCopy) copies += batch.events.length;
        else {
          sent.push(batch);
          distinct += batch.events.length;
        }
      }
    };
    const kill = async () => {
      while (Date.now() < endAt) {
        await Bun.sleep(200 + Math.random() * 4_000);
        const role = ROLES[Math.floor(Math.random() * ROLES.length)]!;
        if (!weir.isRunning(role)) continue;
        const pid = weir.kill9(role);
        await until(`${role} to die`, RECOVERY_MS, () => !isRunning(pid), 5);
        if (role === "main") await weir.start();
      }
    };
    const ask = async () => {
      while (Date.now() < endAt) {
        const status = await weir.ingestionStatus().catch(() => null);
        if (status !== null) expectReconciled(status);
        const count = await weir.number("SELECT count() - count(DISTINCT uuid) FROM events").catch(() => 0);
        expect(count).toBe(0);
        await Bun.sleep(500);
      }
    };
    await Promise.all([...Array.from({ length: CONNECTIONS }, send), kill(), ask()]);

    const status = await weir.waitStored(120_000);
    expectReconciled(status);
    expect(status).toMatchObject({ stored: distinct, dropped: 0, dead_letters: 0 });
    expect(status.accepted).toBeGreaterThanOrEqual(distinct + copies);
    expect(await weir.number("SELECT count() FROM events")).toBe(distinct);
    expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(distinct);
  },
  SOAK_MS + 240_000,
);
