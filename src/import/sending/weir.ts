import { describeError, type Json, pause, RetryableError, TerminalError } from "../../types/mod.ts";
import { bodyOf, detailOf, waitMsOf } from "../answers.ts";
import { stringifyExact } from "../exact.ts";

const TIMEOUT_MS = 120_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const BRIEF_MS = 5_000;
/** So long the Weir may be away. */
const GIVE_UP_MS = 600_000;

export interface WeirAddress {
  /** Without a slash at its end. */
  url: string;
  /** A personal API key. */
  key: string;
  /** The id of an environment. */
  project: number;
}

export interface Answer {
  status: number;
  body: Json;
}

/** What is waited for, told to people; null when the wait is over. */
export type TellWait = (reason: string | null) => void;

/**
 * The management API and the capture API of a Weir. What may pass is tried again, a lost connection too: nothing that goes this way
 * does harm when it comes twice. `Api` is for what may not.
 */
export class WeirClient {
  constructor(
    readonly address: WeirAddress,
    private readonly signal: AbortSignal,
    private readonly tellWait: TellWait = () => {},
  ) {}

  /** The same, that tells what it waits for. */
  telling(tellWait: TellWait): WeirClient {
    return new WeirClient(this.address, this.signal, tellWait);
  }

  /** The same for a last word: it gives up after some seconds, and no signal stops it before. */
  briefly(): WeirClient {
    return new WeirClient(this.address, AbortSignal.timeout(BRIEF_MS));
  }

  get url(): string {
    return this.address.url;
  }

  get project(): number {
    return this.address.project;
  }

  /** Of the environment. Throws TerminalError `weir_refused` unless the answer is 2xx. */
  async ask<T>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
    const answer = await this.answer(method, path, body);
    if (answer.status < 300) return answer.body as T;
    throw new TerminalError("weir_refused", `${method} ${path}: ${answer.status} ${detailOf(answer.body)}`);
  }

  /** Rows of HogQL, over what is stored now. Throws TerminalError `weir_refused`. */
  async query(query: string, values: object): Promise<unknown[][]> {
    const body = { query: { kind: "HogQLQuery", query, values }, refresh: "force_blocking" };
    const { results } = await this.ask<{ results: unknown[][] }>("POST", "query/", body);
    return results;
  }

  /** A request with whatever the answer is, but one that asks to try again. */
  answer(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { Authorization: `Bearer ${this.address.key}`, "Content-Type": "application/json" };
    const url = `${this.url}/api/environments/${this.address.project}/${path}`;
    return this.patiently(url, { method, headers, ...(body !== undefined && { body: stringifyExact(body) }) });
  }

  /** Sends a body of events. Resolves when they are taken, or with the answer that refuses them. */
  send(body: string | Uint8Array<ArrayBuffer>, encoding: "gzip" | null): Promise<Answer> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (encoding !== null) headers["Content-Encoding"] = encoding;
    return this.patiently(`${this.url}/batch/`, { method: "POST", headers, body });
  }

  /**
   * Tries again while the Weir is away, busy or full: for ever while it answers 503 or 429. Throws RetryableError `unreachable` when for
   * ten minutes there was no answer, or only other failures.
   */
  private async patiently(url: string, init: BunFetchRequestInit): Promise<Answer> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let awaySince: number | null = null; ; ) {
      this.signal.throwIfAborted();
      let problem: string;
      let waitMs = pauseMs;
      try {
        const signal = AbortSignal.any([this.signal, AbortSignal.timeout(TIMEOUT_MS)]);
        const response = await fetch(url, { ...init, signal });
        const body = bodyOf(await response.text());
        const { status } = response;
        if (!mayPass(status)) {
          if (awaySince !== null) this.tellWait(null);
          return { status, body };
        }
        waitMs = Math.max(waitMs, waitMsOf(response) ?? 0);
        problem = `${status} ${detailOf(body)}`;
        // A Weir that answers is not away: a queue that is full may take long.
        if (status === 503 || status === 429) awaySince = performance.now();
      } catch (error) {
        this.signal.throwIfAborted();
        problem = describeError(error);
      }
      awaySince ??= performance.now();
      if (performance.now() - awaySince > GIVE_UP_MS) throw new RetryableError("unreachable", `${url}: ${problem}`);
      this.tellWait(problem);
      await pause(waitMs, this.signal);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  }
}

const mayPass = (status: number): boolean => status === 408 || status === 429 || status >= 500;
