import { describeError, TerminalError } from "../../types/mod.ts";
import { plainAddress } from "../link/address.ts";
import { Link } from "../link/link.ts";
import { removePidFile, stopOrphan, writePidFile } from "./orphan.ts";
import { type BrokerSettings, lastPortFreed, writeSettings } from "./settings.ts";
import { noteVersion } from "./version.ts";

/** Recovering large streams after a crash is part of the start. */
const READY_TIMEOUT_MS = 60_000;
const MEMORY_LIMIT_BYTES = 512 * 1024 * 1024;
const READY_POLL_MS = 25;
const STOP_TIMEOUT_MS = 5_000;
const LOOK_MS = 1_000;
const LOOK_UNHEALTHY_MS = 100;
const LOOK_TIMEOUT_MS = 2_000;
/** Connected, but silent for so long: the child is killed. */
const SILENT_MAX_MS = 8_000;
const BACK_OFF_MIN_MS = 100;
const BACK_OFF_MAX_MS = 5_000;
/** Up for this long, the next death counts as the first. */
const STEADY_MS = 30_000;
const LOG_TAIL_LINES = 20;

/** Its own nats-server, as a child of this process. */
export interface Broker {
  /** Holds the token; stays the same over restarts. */
  readonly url: string;
  /** Of the child that runs now. */
  readonly pid: number;
  /** False while the child is down or its JetStream does not answer. */
  readonly isHealthy: boolean;
  /** SIGTERM, then SIGKILL; it is not started again. */
  stop(): Promise<void>;
}

export interface BrokerOptions {
  dataDir: string;
  /** Of the binary, as `findNatsServer` gives it. */
  natsServerPath: string;
  /** All streams' `max_bytes` together must fit. */
  maxFileStoreBytes: number;
  /** What the child's Go runtime is to keep to: its caches grow to a gigabyte by themselves. */
  memoryLimitBytes?: number;
  /** Each message is on the disk before it is acknowledged. */
  syncAlways?: boolean;
  log?: (line: string) => void;
}

/**
 * Starts a broker on `<dataDir>/nats` and gives it when it answers. From then on it is watched: started again, on the
 * same port, when it dies or when its JetStream has stopped to answer (a full disk does that).
 * Throws TerminalError `data_folder_in_use`, `broker_too_old`, `broker_failed`.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const log = options.log ?? (() => {});
  if (await stopOrphan(options.dataDir, log)) await lastPortFreed(options.dataDir);
  const settings = writeSettings(options.dataDir, options);
  noteVersion(options.dataDir, options.natsServerPath);
  if (options.syncAlways === true) assertKnown(options.natsServerPath, settings);
  const child = new BrokerChild(options, settings, log);
  try {
    await child.ready();
  } catch (error) {
    await child.stop();
    throw error;
  }
  return child;
}

/** Throws TerminalError `broker_too_old` for a setting that this nats-server does not have. */
function assertKnown(natsServerPath: string, { configPath }: BrokerSettings): void {
  const { exitCode, stderr } = Bun.spawnSync([natsServerPath, "-t", "-c", configPath]);
  const [, field] = /unknown field "(\w+)"/.exec(stderr.toString()) ?? [];
  if (exitCode === 0 || field === undefined) return;
  const version = Bun.spawnSync([natsServerPath, "--version"]).stdout.toString().trim();
  throw new TerminalError("broker_too_old", `${version} (${natsServerPath}) has no ${field}: a newer one is needed.`);
}

class BrokerChild implements Broker {
  readonly url: string;
  readonly #options: BrokerOptions;
  readonly #settings: BrokerSettings;
  readonly #log: (line: string) => void;
  readonly #tail: string[] = [];
  #process: Bun.Subprocess<"ignore", "ignore", "pipe">;
  #startedAtMs = 0;
  #backOffMs = BACK_OFF_MIN_MS;
  #link: Link | null = null;
  #isReady = false;
  #silentSinceMs: number | null = null;
  #jetStreamAnswers = false;
  #stopping = false;
  #nextLook: ReturnType<typeof setTimeout> | null = null;
  #nextStart: ReturnType<typeof setTimeout> | null = null;

  constructor(options: BrokerOptions, settings: BrokerSettings, log: (line: string) => void) {
    this.url = settings.url;
    this.#options = options;
    this.#settings = settings;
    this.#log = log;
    this.#process = this.#spawn();
  }

  get pid(): number {
    return this.#process.pid;
  }

  get isHealthy(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null && this.#jetStreamAnswers;
  }

  /** Waits until JetStream answers for the first time, then keeps looking. */
  async ready(): Promise<void> {
    const deadlineMs = performance.now() + READY_TIMEOUT_MS;
    while (!(await this.#answers())) {
      if (this.#process.exitCode !== null) throw this.#failed("nats-server ended while it was starting");
      if (performance.now() > deadlineMs) throw this.#failed(`nats-server was not ready in ${READY_TIMEOUT_MS} ms`);
      await Bun.sleep(READY_POLL_MS);
    }
    this.#isReady = true;
    this.#nextLook = setTimeout(() => this.#look(), LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#nextLook) clearTimeout(this.#nextLook);
    if (this.#nextStart) clearTimeout(this.#nextStart);
    await this.#link?.close();
    this.#process.kill("SIGTERM");
    const kill = setTimeout(() => this.#process.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await this.#process.exited;
    clearTimeout(kill);
    removePidFile(this.#settings.pidPath);
  }

  #spawn(): Bun.Subprocess<"ignore", "ignore", "pipe"> {
    const child = Bun.spawn([this.#options.natsServerPath, "-c", this.#settings.configPath], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      // Ctrl-C reaches the whole process group of a terminal, and the broker has to end last.
      detached: true,
      env: { GOMEMLIMIT: String(this.#options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES) },
    });
    try {
      writePidFile(this.#settings.pidPath, child.pid);
    } catch (error) {
      // Nobody would know of it, and it would keep its port and its folder from the next one.
      child.kill("SIGKILL");
      throw error;
    }
    this.#startedAtMs = performance.now();
    this.#readLog(child.stderr);
    child.exited.then(() => this.#onExit(child));
    return child;
  }

  #onExit(child: Bun.Subprocess): void {
    this.#jetStreamAnswers = false;
    // Before it was ready, a death is the caller's to hear of.
    if (this.#stopping || !this.#isReady) return;
    if (performance.now() - this.#startedAtMs > STEADY_MS) this.#backOffMs = BACK_OFF_MIN_MS;
    this.#log(`nats-server ended (${child.signalCode ?? child.exitCode}); starting it again in ${this.#backOffMs} ms`);
    this.#nextStart = setTimeout(() => this.#respawn(), this.#backOffMs);
    this.#backOffMs = Math.min(this.#backOffMs * 2, BACK_OFF_MAX_MS);
  }

  #respawn(): void {
    try {
      this.#process = this.#spawn();
    } catch (error) {
      this.#log(`nats-server cannot be started: ${describeError(error)}`);
      this.#nextStart = setTimeout(() => this.#respawn(), BACK_OFF_MAX_MS);
    }
  }

  async #look(): Promise<void> {
    const child = this.#process;
    const answers = await this.#answers();
    if (this.#stopping) return;
    this.#nextLook = setTimeout(() => this.#look(), answers ? LOOK_MS : LOOK_UNHEALTHY_MS);
    // Without a connection the child is starting or dying: its end is seen elsewhere.
    if (answers || child !== this.#process || !this.#link?.isConnected) {
      this.#silentSinceMs = null;
      return;
    }
    this.#silentSinceMs ??= performance.now();
    if (performance.now() - this.#silentSinceMs < SILENT_MAX_MS) return;
    this.#silentSinceMs = null;
    this.#log("JetStream does not answer (is the disk full?); killing nats-server to start it again");
    // 2.9 locks itself up on a full disk and does not hear SIGTERM then; a kill loses nothing that was acknowledged.
    child.kill("SIGKILL");
  }

  async #answers(): Promise<boolean> {
    try {
      this.#link ??= await this.#connect();
      this.#jetStreamAnswers = await this.#link.isJetStreamUp(LOOK_TIMEOUT_MS);
    } catch {
      this.#jetStreamAnswers = false;
    }
    return this.#jetStreamAnswers;
  }

  async #connect(): Promise<Link> {
    const link = await Link.open(plainAddress(this.url), "weir-broker-health");
    link.onChange((connected) => connected && this.#answers());
    return link;
  }

  async #readLog(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        this.#tail.push(line);
        if (this.#tail.length > LOG_TAIL_LINES) this.#tail.shift();
        // Ordinary lines are not logged; the tail keeps them for a failed start.
        if (!line.includes(" [INF] ")) this.#log(line);
      }
    }
  }

  #failed(what: string): TerminalError {
    return new TerminalError("broker_failed", `${what}:\n${this.#tail.join("\n")}`);
  }
}
