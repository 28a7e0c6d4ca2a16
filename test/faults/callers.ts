import { Weir } from "../support/weir.ts";

/** As SDKs have it. */
const CAPTURE_MS = 10_000;
const READ_MS = 30_000;

export interface CallersOptions {
  /** Addresses of the fronts. */
  fronts: readonly string[];
  /** Where nothing is. */
  dataDir: string;
  env: Record<string, string>;
}

/** What senders and readers know of a cluster: its fronts, of which each request takes the next one, as behind a balancer of load. */
export class Callers extends Weir {
  private turn = 0;

  constructor(private readonly cluster: CallersOptions) {
    super({ dataDir: cluster.dataDir, env: cluster.env }, 0);
  }

  override post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    signal: AbortSignal = AbortSignal.timeout(CAPTURE_MS),
  ): Promise<Response> {
    const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
    return fetch(this.next() + path, { ...init, signal });
  }

  override api(path: string, { method, body }: { method?: string; body?: unknown } = {}): Promise<Response> {
    return this.ask(
      `/api/environments/${this.environmentId}${path}`,
      method ?? (body === undefined ? "GET" : "POST"),
      body,
    );
  }

  override async enterFreshProject(): Promise<void> {
    const response = await this.ask("/api/projects/", "POST", { name: crypto.randomUUID() });
    if (!response.ok) throw new Error(`no project was made: ${response.status} ${await response.text()}`);
    const { id, api_token } = (await response.json()) as { id: number; api_token: string };
    this.environmentId = id;
    this.projectKey = api_token;
  }

  private ask(path: string, method: string, body: unknown): Promise<Response> {
    return fetch(this.next() + path, {
      method,
      headers: { authorization: `Bearer ${this.personalKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(READ_MS),
    });
  }

  private next(): string {
    return this.cluster.fronts[this.turn++ % this.cluster.fronts.length]!;
  }
}
