import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node";
import { describeError, RetryableError, TerminalError, WeirError } from "../../types/mod.ts";
import { type BrokerAddress, connectionOptions } from "./address.ts";
import { untilAnswered } from "./untilAnswered.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** Until a cluster's servers have all been tried, several times. */
const FIRST_CONNECTION_MS = 15_000;
const RECONNECT_WAIT_MS = 100;
const RECONNECT_JITTER_MS = 100;
/** A broker that answers no ping for three of these is taken for gone. */
const PING_INTERVAL_MS = 20_000;
/** Where the address names a cluster: another server takes over at once, so one that is cut off should be left soon. */
const CLUSTER_PING_INTERVAL_MS = 2_000;
const PING_MAX_OUT = 3;

/** Status of an API error that says "not now", for one while JetStream is disabled. */
const STATUS_UNAVAILABLE = 503;

/** JetStream's error codes that are told apart. */
export const ApiError = {
  streamNotFound: 10059,
  consumerNotFound: 10014,
  sequenceNotFound: 10043,
  /** For a reason that its text gives. */
  deleteFailed: 10057,
  /** `max_bytes` of a stream with `discard: new`. */
  streamFull: 10077,
  /** The broker's own `max_file_store`, in its two forms. */
  storageFull: 10047,
  resourcesFull: 10023,
} as const;

/**
 * A connection that comes back by itself, and tells when it goes and comes. While it is away nothing may be
 * published: the client drops such messages silently.
 */
export class Link {
  readonly nc: NatsConnection;
  readonly #jsm: JetStreamManager;
  readonly #listeners = new Set<(connected: boolean) => void>();
  readonly #closers = new Set<() => void>();
  #connected = true;

  private constructor(
    nc: NatsConnection,
    jsm: JetStreamManager,
    /** Of new streams; null: one. */
    readonly replicas: number | null,
    /** Of several servers, as the address says. */
    private readonly isNamedCluster: boolean,
  ) {
    this.nc = nc;
    this.#jsm = jsm;
    this.#watch();
  }

  /** Throws RetryableError `broker_unavailable`, TerminalError `invalid_setting`. */
  static async open(address: BrokerAddress, name: string): Promise<Link> {
    const isNamedCluster = address.url.includes(",") || (address.replicas ?? 1) > 1;
    const options = {
      ...connectionOptions(address),
      name,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      pingInterval: isNamedCluster ? CLUSTER_PING_INTERVAL_MS : PING_INTERVAL_MS,
      maxPingOut: PING_MAX_OUT,
      // A broker that is starting may refuse its own token for a moment; giving up would be final.
      ignoreAuthErrorAbort: true,
    };
    try {
      const nc = await firstConnection(options);
      return new Link(nc, await jetstreamManager(nc, { checkAPI: false }), address.replicas, isNamedCluster);
    } catch (error) {
      throw new RetryableError("broker_unavailable", `The broker cannot be reached: ${describeError(error)}`, {
        cause: error,
      });
    }
  }

  get isConnected(): boolean {
    return this.#connected;
  }

  /** Of several servers, as the address or the server itself says. */
  get isCluster(): boolean {
    return this.isNamedCluster || this.nc.info?.cluster !== undefined;
  }

  /** Calls back at each loss and each return; gives the function that ends it. */
  onChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls back when this link is closed for good; gives the function that ends it. */
  onClose(closer: () => void): () => void {
    this.#closers.add(closer);
    return () => this.#closers.delete(closer);
  }

  /** One call of JetStream's management API; refused at once while the broker is away. */
  async api<T>(call: (jsm: JetStreamManager) => Promise<T>): Promise<T> {
    if (!this.#connected) throw unavailable();
    try {
      return await call(this.#jsm);
    } catch (error) {
      throw brokerError(error);
    }
  }

  /** The same for a call that may be made several times: of a cluster it is, beside the first, while nothing answers. */
  again<T>(call: (jsm: JetStreamManager) => Promise<T>): Promise<T> {
    return this.isCluster ? untilAnswered(() => this.api(call)) : this.api(call);
  }

  /** Whether JetStream answers in time. An open connection is no proof: it lives on while JetStream is disabled or stuck. */
  async isJetStreamUp(timeoutMs: number): Promise<boolean> {
    if (!this.#connected) return false;
    try {
      const answer = await this.nc.request("$JS.API.INFO", "", { timeout: timeoutMs });
      return (answer.json() as { error?: unknown }).error === undefined;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    for (const closer of [...this.#closers]) closer();
    await this.nc.close();
  }

  async #watch(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === "disconnect" || status.type === "close") this.#set(false);
      else if (status.type === "reconnect") this.#set(true);
    }
  }

  #set(connected: boolean): void {
    if (this.#connected === connected) return;
    this.#connected = connected;
    for (const listener of [...this.#listeners]) listener(connected);
  }
}

/**
 * Servers of a cluster tell of each other also while they refuse a login, and the client would go round between them for ever. So this
 * ends after a while, and the servers named are tried once more for the reason.
 */
async function firstConnection(options: NodeConnectionOptions): Promise<NatsConnection> {
  const deadlineMs = performance.now() + FIRST_CONNECTION_MS;
  let nc: NatsConnection | null = null;
  const reconnectDelayHandler = () => {
    if (nc === null && performance.now() > deadlineMs) throw new Error("no server takes the connection");
    return RECONNECT_WAIT_MS + Math.random() * RECONNECT_JITTER_MS;
  };
  try {
    nc = await connect({ ...options, reconnectDelayHandler });
  } catch (error) {
    if (performance.now() <= deadlineMs) throw error;
    nc = await connect({ ...options, ignoreClusterUpdates: true });
  }
  return nc;
}

export function unavailable(detail = "no connection"): RetryableError {
  return new RetryableError("broker_unavailable", `The broker is not available: ${detail}`);
}

/** The code of an answer of JetStream's API, or null for any other failure. */
export function apiErrorCode(error: unknown): number | null {
  return apiErrorOf(error)?.code ?? null;
}

/** The text of an answer of JetStream's API, or null for any other failure. */
export function apiErrorText(error: unknown): string | null {
  return apiErrorOf(error)?.apiError().description ?? null;
}

function apiErrorOf(error: unknown): JetStreamApiError | null {
  const cause = error instanceof WeirError ? error.cause : error;
  return cause instanceof JetStreamApiError ? cause : null;
}

/** A refusal by the API is final (`broker_refused`); everything else may pass later. */
function brokerError(error: unknown): WeirError {
  if (error instanceof WeirError) return error;
  const text = describeError(error);
  if (error instanceof JetStreamApiError && error.status !== STATUS_UNAVAILABLE) {
    return new TerminalError("broker_refused", `The broker refused: ${text}`, { cause: error });
  }
  return new RetryableError("broker_unavailable", `The broker is not available: ${text}`, { cause: error });
}
