import { describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectBus, findNatsServer, startBroker } from "../../src/stream/mod.ts";
import { commandLineOf, RetryableError } from "../../src/types/mod.ts";
import { natsServerPath, until, withBroker } from "../support/broker.ts";
import { eventOf, freeze, MiB, makeStreams, PUBLISHER, readEvents, readLane } from "./events.ts";

// Starts real servers; the limit only ends a hang.

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Starts a broker from a process of its own and gives its url and pid; that process is killed when asked. */
async function startElsewhere(dataDir: string): Promise<{ url: string; pid: number; kill(): Promise<void> }> {
  const script = `
    const { startBroker } = await import(${JSON.stringify(join(import.meta.dir, "../../src/stream/mod.ts"))});
    const { url, pid } = await startBroker(${JSON.stringify({ dataDir, natsServerPath: natsServerPath(), maxFileStoreBytes: 64 * MiB })});
    console.log(JSON.stringify({ url, pid }));
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  return {
    ...(JSON.parse(new TextDecoder().decode(value)) as { url: string; pid: number }),
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

describe("the broker child", () => {
  test("that is to write through each message is refused where its server cannot", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "weir-broker-"));
    const natsServer = natsServerPath();
    const version = Bun.spawnSync([natsServer, "--version"]).stdout.toString();
    const starting = startBroker({
      dataDir,
      natsServerPath: natsServer,
      maxFileStoreBytes: 64 * MiB,
      syncAlways: true,
    });
    try {
      if (/v2\.9\./.test(version)) {
        const error: RetryableError = await starting.then(
          () => null,
          (error) => error,
        );
        expect(error).toMatchObject({ code: "broker_too_old" });
        expect(error.message).toContain("has no sync_interval");
      } else expect((await starting).isHealthy).toBe(true);
    } finally {
      await starting.then(
        (broker) => broker.stop(),
        () => {},
      );
      rmSync(dataDir, { recursive: true });
    }
  });

  test("of an older version than the one that wrote the folder is refused with a sentence, and begins nothing", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "weir-broker-"));
    const start = () => startBroker({ dataDir, natsServerPath: natsServerPath(), maxFileStoreBytes: 64 * MiB });
    const noted = join(dataDir, "nats", "server-version");
    try {
      await (await start()).stop();
      const version = readFileSync(noted, "utf8");
      expect(Bun.spawnSync([natsServerPath(), "--version"]).stdout.toString()).toContain(version.trim());
      const [major, minor] = version.split(".").map(Number) as [number, number];
      // A newer patch of the same version is the same.
      writeFileSync(noted, `${major}.${minor}.999\n`);
      await (await start()).stop();
      for (const newer of [`${major}.${minor + 1}.0`, `${major + 1}.0.0`]) {
        writeFileSync(noted, `${newer}\n`);
        const error = await start().catch((error) => error);
        expect(error).toMatchObject({ code: "broker_too_old" });
        expect(error.message).toContain(`nats-server ${newer} has written ${join(dataDir, "nats")}`);
        expect(readFileSync(noted, "utf8")).toBe(`${newer}\n`);
      }
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  test("asks for its token, keeps it to itself, and is gone after stop", async () => {
    await withBroker(async ({ broker, url, dataDir }) => {
      const { host } = new URL(url);
      expect(await connectBus(`nats://${host}`).catch((error) => error.code)).toBe("broker_unavailable");
      expect(statSync(join(dataDir, "nats", "nats-server.conf")).mode & 0o077).toBe(0);
      const { pid } = broker;
      await broker.stop();
      expect(isAlive(pid)).toBe(false);
      expect(broker.isHealthy).toBe(false);
    });
  });

  test("leaves none behind whose process id could not be written, as on a full disk", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "weir-broker-"));
    const log: string[] = [];
    const maxFileStoreBytes = 64 * MiB;
    const broker = await startBroker({
      dataDir,
      natsServerPath: natsServerPath(),
      maxFileStoreBytes,
      log: (line) => log.push(line),
    });
    const inTheWay = join(dataDir, "nats", "nats-server.pid.new");
    const config = join(dataDir, "nats", "nats-server.conf");
    const running = () => readdirSync("/proc").filter((name) => commandLineOf(Number(name)).includes(config));
    try {
      mkdirSync(inTheWay);
      process.kill(broker.pid, "SIGKILL");
      await until(() => log.some((line) => line.startsWith("nats-server cannot be started: EISDIR")));
      rmSync(inTheWay, { recursive: true });
      await until(() => broker.isHealthy);
      expect(running()).toEqual([String(broker.pid)]);
    } finally {
      await broker.stop();
      rmSync(dataDir, { recursive: true });
    }
  });

  test("is started again on the same address when it dies, with what it had stored", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      await publisher.publish({ teamId: 1, lane: "live", events: [eventOf({ event: "before" })], dropped: {} });
      const { pid } = broker;
      process.kill(pid, "SIGKILL");
      await until(() => broker.pid !== pid && broker.isHealthy && bus.isConnected);
      await publisher.publish({ teamId: 1, lane: "live", events: [eventOf({ event: "after" })], dropped: {} });
      expect((await readEvents(bus)).map((event) => event.event)).toEqual(["before", "after"]);
    });
  });

  test("is killed and started again when it hangs", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const { pid } = broker;
      await freeze(pid);
      await until(() => !broker.isHealthy);
      const publisher = bus.publisher(PUBLISHER);
      const held = publisher.publish({ teamId: 1, lane: "live", events: [eventOf()], dropped: {} });
      await until(() => publisher.unansweredMs > 0);
      await until(() => broker.pid !== pid && broker.isHealthy);
      await held;
      expect(publisher.unansweredMs).toBe(0);
      expect(await readEvents(bus)).toHaveLength(1);
    });
  });

  test("left behind by a killed process is stopped by the next start, and its data is found", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "weir-orphan-"));
    try {
      const orphan = await startElsewhere(dataDir);
      const options = { dataDir, natsServerPath: natsServerPath(), maxFileStoreBytes: 64 * MiB };
      expect(await startBroker(options).catch((error) => error.code)).toBe("data_folder_in_use");
      const before = await connectBus(orphan.url);
      await before.ensureStream({ lane: "live", generation: 1, maxBytes: 2 * MiB });
      await before.publisher(PUBLISHER).publish({ teamId: 1, lane: "live", events: [eventOf()], dropped: {} });
      await before.close();
      await orphan.kill();
      expect(isAlive(orphan.pid)).toBe(true);

      const broker = await startBroker(options);
      expect(isAlive(orphan.pid)).toBe(false);
      // Who was connected then must find it again.
      expect(broker.url).toBe(orphan.url);
      const bus = await connectBus(broker.url);
      expect((await bus.streamFacts("live", 1))?.lastSequence).toBe(1);
      await bus.close();
      await broker.stop();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test("that cannot start says why", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "weir-broken-"));
    try {
      const options = { dataDir, natsServerPath: "/bin/false", maxFileStoreBytes: 64 * MiB };
      expect(await startBroker(options).catch((error) => error.code)).toBe("broker_failed");
      expect(() => findNatsServer(join(dataDir, "none"))).toThrow(
        expect.objectContaining({ code: "nats_server_missing" }),
      );
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe("streams", () => {
  test("are made once, grow when asked to, and are refused when they differ", async () => {
    await withBroker(async ({ bus, url }) => {
      expect(bus.isCluster).toBe(false);
      expect(await bus.streamFacts("live", 1)).toBeNull();
      const made = await bus.ensureStream({ lane: "live", generation: 1, maxBytes: 2 * MiB });
      expect(made).toMatchObject({ firstSequence: 1, lastSequence: 0, messages: 0, sizeBytes: 0 });
      const grown = await bus.ensureStream({ lane: "live", generation: 1, maxBytes: 3 * MiB });
      expect(grown.created).toBe(made.created);
      const tooLarge = bus.ensureStream({ lane: "history", generation: 1, maxBytes: 5000 * MiB });
      expect(await tooLarge.catch((error) => error.code)).toBe("broker_refused");

      const { connect } = await import("@nats-io/transport-node");
      const { jetstreamManager } = await import("@nats-io/jetstream");
      const { host, username } = new URL(url);
      const nc = await connect({ servers: host, token: username });
      const jsm = await jetstreamManager(nc);
      await jsm.streams.update("WEIR_LIVE_g1", { max_msgs: 10 });
      await nc.close();
      const differs = bus.ensureStream({ lane: "live", generation: 1, maxBytes: 3 * MiB });
      expect(await differs.catch((error) => error.code)).toBe("stream_differs");
    });
  });
});

describe("kill -9 of the broker while many publish", () => {
  test("loses nothing acknowledged, stores no acknowledged frame twice, and keeps the order of each client", async () => {
    await withBroker(async ({ bus, broker }) => {
      await makeStreams(bus);
      const publisher = bus.publisher(PUBLISHER);
      const acknowledged = new Map<string, { isFirstTry: boolean }>();
      const kills = [40, 120, 200];
      let batches = 0;

      const client = async (id: number): Promise<void> => {
        for (let i = 0; i < 40; i++) {
          const events = Array.from({ length: 50 }, (_, n) =>
            eventOf({ distinctId: `client ${id}`, timestampMs: i * 50 + n }),
          );
          for (let isFirstTry = true; ; isFirstTry = false) {
            try {
              await publisher.publish({ teamId: 1, lane: "live", events, dropped: {} });
              for (const event of events) acknowledged.set(event.uuid, { isFirstTry });
              break;
            } catch (error) {
              if (!(error instanceof RetryableError)) throw error;
              await Bun.sleep(20);
            }
          }
          if (++batches >= (kills[0] ?? Number.POSITIVE_INFINITY)) {
            kills.shift();
            process.kill(broker.pid, "SIGKILL");
          }
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, id) => client(id)));
      expect(kills).toEqual([]);

      const frames = await readLane(bus);
      const copies = new Map<string, number>();
      for (const events of frames.map((partition) => partition.flatMap((frame) => frame.decode()))) {
        const highest = new Map<string, number>();
        for (const { uuid, distinctId, timestampMs } of events) {
          const seen = copies.get(uuid) ?? 0;
          copies.set(uuid, seen + 1);
          if (seen > 0) continue;
          expect(timestampMs).toBeGreaterThan(highest.get(distinctId) ?? -1);
          highest.set(distinctId, timestampMs);
        }
      }
      expect(acknowledged.size).toBe(8 * 40 * 50);
      for (const [uuid, { isFirstTry }] of acknowledged) {
        expect(copies.get(uuid)).toBeGreaterThanOrEqual(1);
        if (isFirstTry) expect(copies.get(uuid)).toBe(1);
      }
    });
  });
});

test("of several programs the newest is taken, of one version the first of the PATH", () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-path-"));
  const program = join(folder, "nats-server");
  const mod = join(import.meta.dir, "../../src/stream/mod.ts");
  const script = `console.log((await import(${JSON.stringify(mod)})).findNatsServer(null))`;
  // A process of its own: Bun reads the PATH once.
  const found = (version: string) => {
    writeFileSync(program, `#!/bin/sh\necho 'nats-server: v${version}'\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    return Bun.spawnSync([process.execPath, "-e", script], { env }).stdout.toString().trim();
  };
  try {
    const [own] = Bun.spawnSync([findNatsServer(null), "--version"])
      .stdout.toString()
      .match(/\d+\.\d+\.\d+/)!;
    expect(found("99.0.0")).toBe(program);
    expect(found(own)).toBe(program);
    const isAlone =
      !existsSync(join(import.meta.dir, "../../.tools/nats-server")) && !existsSync("/usr/sbin/nats-server");
    // With no other one an old program is still better than none.
    expect(found("1.0.0") === program).toBe(isAlone);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
