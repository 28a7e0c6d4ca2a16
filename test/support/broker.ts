import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Broker, type Bus, connectBus, findNatsServer, startBroker } from "../../src/stream/mod.ts";
import { HANG_MS } from "./processes.ts";

/** What a test gets: a broker of its own in a temporary folder, and a connection to it. */
export interface TestBroker {
  bus: Bus;
  url: string;
  broker: Broker;
  dataDir: string;
}

export interface RunningBroker extends TestBroker {
  stop(): Promise<void>;
}

export function natsServerPath(): string {
  return findNatsServer(process.env.WEIR_NATS_SERVER ?? null);
}

/** Starts a real nats-server; `stop` ends it and removes its folder. */
export async function startTestBroker(o: { maxFileStoreBytes?: number } = {}): Promise<RunningBroker> {
  const dataDir = mkdtempSync(join(tmpdir(), "weir-broker-"));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const maxFileStoreBytes = o.maxFileStoreBytes ?? 1024 ** 3;
    const broker = await startBroker({ dataDir, natsServerPath: natsServerPath(), maxFileStoreBytes });
    const bus = await connectBus(broker.url, { name: "test" });
    const stop = async () => {
      await bus.close();
      await broker.stop();
      remove();
    };
    return { bus, url: broker.url, broker, dataDir, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Runs a test against a real nats-server; stops it and removes its folder whatever happens. */
export async function withBroker<T>(
  test: (context: TestBroker) => Promise<T>,
  o: { maxFileStoreBytes?: number } = {},
): Promise<T> {
  const running = await startTestBroker(o);
  try {
    return await test(running);
  } finally {
    await running.stop();
  }
}

/** Waits until a condition holds; the limit only ends a hang. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = HANG_MS): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`still not so after ${timeoutMs} ms: ${condition}`);
    await Bun.sleep(5);
  }
}
