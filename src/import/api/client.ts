import {
  describeError,
  isJsonObject,
  type Json,
  type JsonObject,
  RetryableError,
  TerminalError,
} from "../../types/mod.ts";
import { parseKeepingDigits } from "../exactJson.ts";

const REQUEST_TIMEOUT_MS = 120_000;
const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 30_000;
const TRIES = 8;
/** As many as both APIs give at once. */
const PAGE = 100;

/** A project of PostHog or Weir, by its management API. */
export interface ProjectAddress {
  /** Without a slash at the end. */
  url: string;
  /** A personal API key. */
  key: string;
  project: string;
}

/** What an API answered that is no success. Trying again does not help. */
export class ApiRefused extends TerminalError {
  constructor(
    readonly status: number,
    /** What it says about it. */
    readonly detail: string,
    request: string,
  ) {
    super("api_refused", `${request}: ${status} ${detail}`);
  }
}

/**
 * Requests to one project. What may pass is tried again with pauses: 429, 502 to 504, a lost connection; a request that makes
 * something only where it surely was not carried out. Throws ApiRefused, RetryableError `unreachable`.
 */
export class Api {
  private readonly base: string;

  constructor(
    readonly address: ProjectAddress,
    private readonly signal: AbortSignal | null = null,
    private readonly pauseMs = PAUSE_MIN_MS,
  ) {
    this.base = `${address.url}/api/projects/${encodeURIComponent(address.project)}/`;
  }

  /** `path` is below the project's; "" is the project itself. */
  async get(path: string): Promise<Json> {
    return parsed(await (await this.request("GET", path)).text(), path);
  }

  async object(path: string): Promise<JsonObject> {
    return objectOf(await this.get(path), path);
  }

  async send(method: "POST" | "PATCH", path: string, body: JsonObject): Promise<JsonObject> {
    return objectOf(parsed(await (await this.request(method, path, body)).text(), path), path);
  }

  /** The answer as it comes, of a file; redirects are followed without the key where they lead to another host. */
  async file(path: string): Promise<Response> {
    return this.request("GET", path);
  }

  /** All items of a list, page by page. */
  async *pages(path: string): AsyncGenerator<JsonObject> {
    for (let offset = 0; ; offset += PAGE) {
      const separator = path.includes("?") ? "&" : "?";
      const page = await this.get(`${path}${separator}limit=${PAGE}&offset=${offset}`);
      const items = Array.isArray(page) ? page : isJsonObject(page) ? page.results : undefined;
      if (!Array.isArray(items)) throw new TerminalError("api_unknown", `${path} is no list`);
      for (const item of items) if (isJsonObject(item)) yield item;
      const isLast = Array.isArray(page) || !isJsonObject(page) || page.next == null;
      if (isLast || items.length === 0) return;
    }
  }

  async all(path: string): Promise<JsonObject[]> {
    return Array.fromAsync(this.pages(path));
  }

  private async request(method: "GET" | "POST" | "PATCH", path: string, body?: JsonObject): Promise<Response> {
    for (let tried = 1; ; tried++) {
      const outcome = await this.ask(method, path, body);
      if (!("mayPass" in outcome)) return outcome;
      if (tried === TRIES) throw new RetryableError("unreachable", `${method} ${this.base}${path}: ${outcome.mayPass}`);
      await this.pause(outcome.waitMs ?? Math.min(PAUSE_MAX_MS, this.pauseMs * 2 ** (tried - 1)));
    }
  }

  private async ask(
    method: string,
    path: string,
    body?: JsonObject,
  ): Promise<Response | { mayPass: string; waitMs: number | null }> {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const name = `${method} ${this.base}${path}`;
    let response: Response;
    try {
      response = await fetch(this.base + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.address.key}`,
          ...(body !== undefined && { "Content-Type": "application/json" }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: this.signal === null ? timeout : AbortSignal.any([timeout, this.signal]),
      });
    } catch (error) {
      this.signal?.throwIfAborted();
      // It may have been carried out: making it again would make a second one.
      if (method === "POST") throw new RetryableError("unreachable", `${name}: ${describeError(error)}`);
      return { mayPass: describeError(error), waitMs: null };
    }
    if (response.ok) return response;
    const text = await response.text().catch(() => "");
    const mayPass = response.status === 429 || response.status === 503 || (method !== "POST" && response.status >= 502);
    if (!mayPass) throw new ApiRefused(response.status, detailOf(text), name);
    return { mayPass: `${response.status} ${detailOf(text)}`, waitMs: waitOf(response) };
  }

  private async pause(ms: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    const stop = () => reject(this.signal?.reason);
    this.signal?.addEventListener("abort", stop, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.signal?.removeEventListener("abort", stop);
    }
  }
}

function waitOf(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

function parsed(text: string, path: string): Json {
  try {
    return parseKeepingDigits(text);
  } catch {
    throw new TerminalError("api_unknown", `${path} did not answer JSON: ${text.slice(0, 100)}`);
  }
}

function objectOf(value: Json, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new TerminalError("api_unknown", `${path} did not answer an object`);
}

/** What errors of both APIs say: `detail`, else their text. */
function detailOf(text: string): string {
  try {
    const body = JSON.parse(text) as Json;
    if (isJsonObject(body) && typeof body.detail === "string") {
      return typeof body.attr === "string" ? `${body.attr}: ${body.detail}` : body.detail;
    }
  } catch {
    // No JSON: the text itself tells.
  }
  return text.slice(0, 300);
}
