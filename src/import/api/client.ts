import {
  describeError,
  isJsonObject,
  type Json,
  type JsonObject,
  pause,
  RetryableError,
  TerminalError,
} from "../../types/mod.ts";
import { bodyOf, detailOf, waitMsOf } from "../answers.ts";
import { parseExact, stringifyExact } from "../exact.ts";
import type { ProjectAddress } from "../types.ts";

const REQUEST_TIMEOUT_MS = 120_000;
const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 30_000;
const TRIES = 8;
/** So long an API may answer that it is busy. */
const BUSY_MAX_MS = 600_000;
const SECOND_MS = 1_000;
const CLOCK_LOOK_MS = 100;
const CLOCK_STANDS_MS = 10_000;
/** As many as both APIs give at once. */
const PAGE = 100;

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

type Method = "GET" | "POST" | "PATCH";
/** A failure that may pass. */
interface Passing {
  mayPass: string;
  /** It answers, and asks to come again. */
  isBusy: boolean;
  /** How long the answer asks to wait; null where it does not say. */
  waitMs: number | null;
}

/**
 * Requests to one project. What may pass is tried again with pauses: 429, 502 to 504, a lost connection; a request that makes
 * something only where it surely was not carried out. Throws ApiRefused, RetryableError `unreachable`.
 */
export class Api {
  private readonly base: string;

  constructor(
    readonly address: ProjectAddress,
    private readonly signal: AbortSignal = new AbortController().signal,
    /** The first pause before something is asked again. */
    readonly pauseMs = PAUSE_MIN_MS,
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

  /**
   * A moment by the clock of the API, epoch milliseconds, with everything before it that was accepted until now. The clock tells
   * seconds only, and may tell one when it is over, so the next but one is waited for. Throws TerminalError where it stands still.
   */
  async nowMs(): Promise<number> {
    const askedAtMs = await this.clockMs();
    for (let waitedMs = 0; waitedMs < CLOCK_STANDS_MS; waitedMs += CLOCK_LOOK_MS) {
      const nowMs = await this.clockMs();
      if (nowMs > askedAtMs + SECOND_MS) return nowMs;
      await pause(CLOCK_LOOK_MS, this.signal);
    }
    throw new TerminalError("api_unknown", "the clock of the API (the header Date of its answers) stands still");
  }

  private async clockMs(): Promise<number> {
    const response = await this.request("GET", "");
    await response.text();
    const ms = Date.parse(response.headers.get("date") ?? "");
    return Number.isNaN(ms) ? Math.floor(Date.now() / SECOND_MS) * SECOND_MS : ms;
  }

  /** Whether it is a Weir: PostHog does not tell where the events are. */
  async isWeir(): Promise<boolean> {
    try {
      return typeof (await this.object("ingestion_status/")).accepted === "number";
    } catch (error) {
      if (error instanceof ApiRefused) return false;
      throw error;
    }
  }

  /** `isHarmless`: making it twice does no harm, so a lost connection is no end. */
  async send(
    method: "POST" | "PATCH",
    path: string,
    body: JsonObject,
    { isHarmless = method === "PATCH" } = {},
  ): Promise<JsonObject> {
    const response = await this.request(method, path, { body: stringifyExact(body) }, isHarmless);
    return objectOf(parsed(await response.text(), path), path);
  }

  /** The answer as it comes, without a limit of time: a file, or the redirect to one. */
  async file(path: string, signal: AbortSignal): Promise<Response> {
    return this.request("GET", path, { redirect: "manual", signal });
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

  private async request(method: Method, path: string, init: RequestInit = {}, isHarmless = true): Promise<Response> {
    const begunMs = performance.now();
    for (let tried = 1; ; tried++) {
      const outcome = await this.ask(method, path, init, isHarmless);
      if (!("mayPass" in outcome)) return outcome;
      const isOver = outcome.isBusy ? performance.now() - begunMs > BUSY_MAX_MS : tried >= TRIES;
      if (isOver) throw new RetryableError("unreachable", `${method} ${this.base}${path}: ${outcome.mayPass}`);
      await pause(outcome.waitMs ?? Math.min(PAUSE_MAX_MS, this.pauseMs * 2 ** (tried - 1)), this.signal);
    }
  }

  private async ask(method: Method, path: string, init: RequestInit, isHarmless: boolean): Promise<Response | Passing> {
    const name = `${method} ${this.base}${path}`;
    const headers: Record<string, string> = { Authorization: `Bearer ${this.address.key}` };
    if (init.body !== undefined) headers["Content-Type"] = "application/json";
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const signal = init.signal ?? AbortSignal.any([timeout, this.signal]);
    let response: Response;
    try {
      response = await fetch(this.base + path, { ...init, method, headers, signal });
    } catch (error) {
      this.signal.throwIfAborted();
      init.signal?.throwIfAborted();
      // It may have been carried out: making it again would make a second one.
      if (!isHarmless) throw new RetryableError("unreachable", `${name}: ${describeError(error)}`);
      return { mayPass: describeError(error), isBusy: false, waitMs: null };
    }
    const isRedirect = init.redirect === "manual" && response.status >= 300 && response.status < 400;
    if (response.ok || isRedirect) return response;
    const detail = detailOf(bodyOf(await response.text().catch(() => "")));
    const { status } = response;
    const isBusy = status === 429 || status === 503;
    if (!isBusy && (!isHarmless || status < 502)) throw new ApiRefused(status, detail, name);
    return { mayPass: `${status} ${detail}`, isBusy, waitMs: waitMsOf(response) };
  }
}

function parsed(text: string, path: string): Json {
  try {
    return parseExact(text);
  } catch {
    throw new TerminalError("api_unknown", `${path} did not answer JSON: ${text.slice(0, 100)}`);
  }
}

function objectOf(value: Json, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new TerminalError("api_unknown", `${path} did not answer an object`);
}
