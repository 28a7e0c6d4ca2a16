import { describe, expect, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { HANG_MS, until } from "../support/processes.ts";
import { startWeir } from "../support/weir.ts";
import { expectReconciled } from "./cdnowFigures.ts";

const MiB = 1024 * 1024;
const DISK_BYTES = 160 * MiB;
const SMALL_STREAMS = { WEIR_LIVE_STREAM_MAX_BYTES: String(32 * MiB), WEIR_HISTORY_STREAM_MAX_BYTES: String(32 * MiB) };

function events(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    uuid: randomUUID(),
    event: "e",
    distinct_id: `user-${i}`,
    properties: { noise: randomBytes(750).toString("base64") },
  }));
}

/** A mount namespace in which the data folder is a small disk of its own; it goes away with its last process. */
function onSmallDisk(dataDir: string): string[] {
  const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const mount = `mount -t tmpfs -o size=${DISK_BYTES} weir-test "$0" && exec "$@"`;
  return ["unshare", "--mount", ...asRoot, "sh", "-c", mount, dataDir];
}

function canMount(): boolean {
  return Bun.spawnSync([...onSmallDisk("/mnt"), "true"], { stdout: "ignore", stderr: "ignore" }).exitCode === 0;
}

/** Writes until nothing fits any more. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = MiB; size >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

describe("a full disk", () => {
  test("below the reserve: 503 before anything breaks, questions are answered, and it goes on by itself", async () => {
    await using weir = await startWeir();
    await weir.deliver(events(100));
    await weir.waitStored();
    // More than any disk has.
    await weir.restart({ WEIR_DISK_MIN_FREE_BYTES: String(2 ** 52) }, "/_liveness");
    expect(await weir.status("/_readiness")).toBe(503);
    expect((await weir.batch(events(1))).status).toBe(503);
    expect(await weir.number("SELECT count() FROM events")).toBe(100);
    await weir.restart({});
    await weir.deliver(events(100));
    await weir.waitStored();
    expect(await weir.number("SELECT count() FROM events")).toBe(200);
  });

  // Where mounting is not allowed, the test above is what can be shown.
  if (canMount()) {
    test("to the last byte, at full load: what was acknowledged is kept, and counted once when there is room again", async () => {
      const dataDir = join(process.env.TMPDIR ?? "/tmp", `weir-disk-${randomUUID()}`);
      Bun.spawnSync(["mkdir", dataDir]);
      try {
        await using weir = await startWeir({
          dataDir,
          command: [...onSmallDisk(dataDir), process.execPath, "src/main.ts", "start"],
          env: { ...SMALL_STREAMS, WEIR_PUBLISH_TIMEOUT_MS: "3000" },
        });
        const inside = (name: string) => join(`/proc/${weir.pid}/root`, dataDir, name);
        let acknowledged = 0;
        const refused: object[][] = [];
        const send = async () => {
          const batch = events(500);
          const status = await weir.batch(batch).then((response) => response.status);
          if (status === 200) acknowledged += batch.length;
          else {
            expect(status).toBe(503);
            refused.push(batch);
          }
        };
        for (let i = 0; i < 4; i++) await send();
        fill(inside("ballast"));
        await until("a refusal", HANG_MS, async () => {
          await send();
          return refused.length >= 3;
        });
        rmSync(inside("ballast"));

        await until("readiness", HANG_MS, async () => (await weir.status("/_readiness")) === 200);
        for (const batch of refused) {
          await weir.deliver(batch);
          acknowledged += batch.length;
        }
        const status = await weir.waitStored();
        expectReconciled(status);
        expect(status).toMatchObject({ stored: acknowledged, dead_letters: 0, dropped: 0 });
        expect(await weir.number("SELECT count() FROM events")).toBe(acknowledged);
        expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(acknowledged);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    });
  }
});
