import { membersOf, withMembers } from "../../json/mod.ts";
import { answerText, connectionProblem, guardedFetch, pauseAskedFor, refusal } from "../../outgoing/mod.ts";
import { pause, type RetryableError, type TerminalError, WeirError } from "../../types/mod.ts";
import { ConfigReader, invalidConfig } from "../config.ts";
import type { Destination, DestinationEnv, OpenDestination, Part, RunRange } from "../model.ts";
import { groupsOfLines } from "./lines.ts";

const PART_BYTES = 64 * 1024 * 1024;
const BATCH = { lines: 1000, units: 4 * 1024 * 1024 };
const TIMEOUT_MS = 60_000;
/** Of one batch; then the run pauses and begins again. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const RECEIVER = "The receiver";

interface HttpConfig {
  url: string;
  token: string;
}

function readConfig(config: Record<string, unknown>): HttpConfig {
  const reader = new ConfigReader(config);
  reader.skip("include_events", "exclude_events");
  const url = URL.parse(reader.text("url"));
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") {
    throw invalidConfig("url", "Must be an http(s) address without a user.");
  }
  const read = { url: url.href, token: reader.text("token") };
  reader.end();
  return read;
}

/** Into another PostHog or Weir, as a migration: the uuid of an event is what the receiver knows a second one by. */
export const HTTP: Destination = {
  type: "HTTP",
  secrets: ["token"],
  check(config) {
    readConfig(config);
    return config;
  },
  async open(config, range, env) {
    if (range.model !== "events") throw invalidConfig("type", "An HTTP destination takes events only.");
    return new OpenReceiver(readConfig(config), range, env);
  },
};

class OpenReceiver implements OpenDestination {
  readonly format = { format: "JSONLines", compression: null, maxPartBytes: PART_BYTES } as const;

  constructor(
    private readonly config: HttpConfig,
    private readonly range: RunRange,
    private readonly env: DestinationEnv,
  ) {}

  async put(part: Part, signal: AbortSignal): Promise<number> {
    let [bytes, number] = [0, 0];
    for await (const lines of groupsOfLines(part.path, BATCH)) {
      bytes += await this.send(lines.map(eventText), this.keyOf(part.number, number++), signal);
    }
    return bytes;
  }

  async finish(): Promise<void> {}

  /** An empty batch may be taken, or refused as empty, before its token is looked at: flags tell whether that is known. */
  async test(signal: AbortSignal): Promise<void> {
    try {
      const response = await this.post(this.config.url, this.bodyOf([]), "test", signal);
      if (!response.ok && response.status !== 400) throw refusal(RECEIVER, response.status, await answerText(response));
      const { token, url } = this.config;
      const asked = JSON.stringify({ token, distinct_id: "test" });
      const flags = await this.post(new URL("/flags/?v=2", url).href, asked, "test", signal);
      if (flags.status === 401) throw refusal(RECEIVER, flags.status, await answerText(flags));
    } catch (error) {
      signal.throwIfAborted();
      throw connectionProblem(RECEIVER, error);
    }
  }

  async close(): Promise<void> {}

  /** Gives the bytes that were sent. Waits and tries again as the receiver asks for. */
  private async send(events: readonly string[], key: string, signal: AbortSignal): Promise<number> {
    const body = this.bodyOf(events);
    for (let attempt = 1; ; attempt++) {
      const problem = await this.problemOf(body, key, signal);
      if (problem === null) return Buffer.byteLength(body);
      if (!problem.error.retryable || attempt === ATTEMPTS) throw problem.error;
      const pauseMs = problem.pauseMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
      this.env.log("warn", `${problem.error.message}; again in ${Math.ceil(pauseMs / 1000)} s`);
      await pause(pauseMs, signal);
    }
  }

  /** Null when the receiver took all. */
  private async problemOf(
    body: string,
    key: string,
    signal: AbortSignal,
  ): Promise<{ error: RetryableError | TerminalError; pauseMs: number | null } | null> {
    try {
      const response = await this.post(this.config.url, body, key, signal);
      const text = await answerText(response);
      if (response.ok) return null;
      return { error: refusal(RECEIVER, response.status, text), pauseMs: pauseAskedFor(response, LONGEST_PAUSE_MS) };
    } catch (error) {
      signal.throwIfAborted();
      const problem = connectionProblem(RECEIVER, error);
      if (problem instanceof WeirError) return { error: problem, pauseMs: null };
      throw problem;
    }
  }

  private post(url: string, body: string, key: string, signal: AbortSignal): Promise<Response> {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return guardedFetch(url, { method: "POST", headers, body, signal: limit }, this.env);
  }

  private bodyOf(events: readonly string[]): string {
    return `{"api_key":${JSON.stringify(this.config.token)},"historical_migration":true,"batch":[${events.join(",")}]}`;
  }

  /** The same for the same batch of the same interval, whenever it is sent. */
  private keyOf(part: number, batch: number): string {
    const { exportId, fromMs, toMs } = this.range;
    return [exportId, fromMs ?? "start", toMs, part, batch].join("-");
  }
}

/** An event as capture paths take it, its properties to the letter. */
function eventText(line: string): string {
  const row = membersOf(line);
  const properties = row.get("properties") ?? "{}";
  const own = membersOf(properties);
  const added = new Map<string, string>();
  if (!own.has("$geoip_disable")) added.set("$geoip_disable", "true");
  const chain = row.get("elements_chain") ?? '""';
  if (chain !== '""' && chain !== "null" && !own.has("$elements_chain")) added.set("$elements_chain", chain);
  const members = ["uuid", "event", "distinct_id", "timestamp"].map((name) => `"${name}":${row.get(name) ?? "null"}`);
  return `{${members.join(",")},"properties":${withMembers(properties, added)}}`;
}
