import { describe, expect, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsServerPath } from "../support/broker.ts";
import { freePort, HANG_MS, isStopped, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";
import { expectReconciled } from "./cdnowFigures.ts";

const PUBLISH_TIMEOUT_MS = "3000";
const KB = 1_000;

/** Events that compress badly, so that sizes on disk are known. */
function events(count: number, sizeBytes = 100): object[] {
  return Array.from({ length: count }, (_, i) => ({
    uuid: randomUUID(),
    event: "e",
    distinct_id: `user-${i}`,
    properties: { noise: randomBytes(Math.ceil((sizeBytes * 3) / 4)).toString("base64") },
  }));
}

describe("a broker in trouble", () => {
  test("that hangs: 503, and the same batch is taken once when it goes on", async () => {
    await using weir = await startWeir({ env: { WEIR_PUBLISH_TIMEOUT_MS: PUBLISH_TIMEOUT_MS } });
    const before = events(100);
    await weir.deliver(before);
    const broker = weir.pidOf("nats-server");
    process.kill(broker, "SIGSTOP");
    await until("the broker to stand still", HANG_MS, () => isStopped(broker), 5);
    const during = events(100);
    try {
      const response = await weir.batch(during);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ detail: expect.any(String) });
    } finally {
      process.kill(broker, "SIGCONT");
    }
    await weir.deliver(during);
    const status = await weir.waitStored();
    expectReconciled(status);
    expect(status.stored).toBe(200);
    expect(await weir.number("SELECT count() FROM events")).toBe(200);
  });

  test("of one's own that acknowledges nothing: the front is not ready, says so, and is again when it goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "weir-own-nats-"));
    const port = await freePort();
    const broker = Bun.spawn([natsServerPath(), "-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder], {
      stderr: "ignore",
    });
    try {
      await using weir = await startWeir({ env: { NATS_URL: `nats://127.0.0.1:${port}` } });
      await weir.deliver(events(10));
      broker.kill("SIGSTOP");
      await until("the broker to stand still", HANG_MS, () => isStopped(broker.pid), 5);
      const waiting = weir.batch(events(10));
      const readiness = async () => (await fetch(`${weir.url}/_readiness`)).text();
      await until("the front to say why", HANG_MS, async () =>
        /acknowledged nothing for \d+ s/.test(await readiness()),
      );
      expect(await weir.status("/_readiness")).toBe(503);
      broker.kill("SIGCONT");
      await waiting;
      await until("the front to be ready", HANG_MS, async () => (await weir.status("/_readiness")) === 200);
    } finally {
      broker.kill("SIGKILL");
      await broker.exited;
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("that is killed: nothing but 200 and 503, and every 200 is kept", async () => {
    await using weir = await startWeir({ env: { WEIR_PUBLISH_TIMEOUT_MS: PUBLISH_TIMEOUT_MS } });
    await weir.deliver(events(100));
    let kept = 100;
    for (let round = 0; round < 3; round++) {
      const killed = weir.kill9("nats-server");
      let tookAgain = false;
      await until("a 200 from the new broker", HANG_MS, async () => {
        const isNew = weir.isReplaced("nats-server", killed);
        const batch = events(10);
        const response = await weir.batch(batch);
        await response.arrayBuffer();
        expect([200, 503]).toContain(response.status);
        if (response.status === 200) kept += batch.length;
        // Sent again only to know what became of it: the client of a 503 does the same.
        else await weir.deliver(batch).then(() => (kept += batch.length));
        tookAgain = isNew;
        return tookAgain;
      });
    }
    const status = await weir.waitStored();
    expectReconciled(status);
    expect(status.stored).toBe(kept);
    expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(kept);
  });

  test("whose live stream is full: 503 there, the history lane goes on, and all of it drains later", async () => {
    const streams = { WEIR_LIVE_STREAM_MAX_BYTES: String(2 * 1024 * 1024), WEIR_FRAME_MAX_BYTES: "65536" };
    await using weir = await startWeir({ env: { ...streams, WEIR_WORKERS: "0" } });
    let kept = 0;
    let refused: object[] | null = null;
    while (refused === null) {
      const batch = events(100, 2 * KB);
      const response = await weir.batch(batch);
      const text = await response.text();
      if (response.status === 200) kept += batch.length;
      else {
        expect({ status: response.status, text }).toMatchObject({ status: 503 });
        refused = batch;
      }
      expect(kept).toBeLessThan(10_000);
    }
    expect(kept).toBeGreaterThan(0);
    const history = events(100, 2 * KB);
    expect((await weir.batch(history, { historical: true })).status).toBe(200);
    const waiting = await weir.ingestionStatus();
    expectReconciled(waiting);
    // What a refused request had already published of itself waits too.
    expect(waiting.queued).toBeGreaterThanOrEqual(kept + history.length);

    await weir.restart({ ...streams, WEIR_WORKERS: "1" });
    await weir.deliver(refused);
    kept += refused.length + history.length;
    const status = await weir.waitStored();
    expectReconciled(status);
    expect(status.stored).toBe(kept);
    expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(kept);
  });
});
