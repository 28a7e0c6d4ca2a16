import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { HANG_MS, until } from "../support/processes.ts";
import type { Weir } from "../support/weir.ts";
import { decodeBatch, type Exchange, tap, type Wire } from "../support/wire.ts";

/** What the page's script uses of the SDK; the rest of it is none of this test's business. */
export interface PagePostHog {
  __loaded?: boolean;
  capture(event: string, properties?: object): void;
  captureLog(line: { body: string; level: string }): void;
  identify(id: string, properties?: object): void;
  group(type: string, key: string, properties?: object): void;
  alias(alias: string): void;
  reset(): void;
  get_distinct_id(): string;
  onFeatureFlags(done: (flags: string[]) => void): void;
  reloadFeatureFlags(): void;
  getSurveys(done: (surveys: unknown[]) => void): void;
  getEarlyAccessFeatures(done: (features: unknown[]) => void, isReload: boolean): void;
  startSessionRecording(): void;
}
declare const window: { posthog: PagePostHog };

const MODULES = join(import.meta.dir, "../../node_modules");
const EVENTS_PATH = "/i/v0/e/";
/** The shortest that the SDK takes. */
export const FLUSH_MS = 250;

/** What a page has to say to the SDK. */
interface PageFacts {
  address: string;
  token: string;
  config: object;
}

/** Gives the script tags of a page. */
export type Tags = (facts: PageFacts) => string;

/** As pages do it: calls are queued in an array until the script has come, which takes over from there. */
export function snippet({ address, token, config }: PageFacts, script = `${address}/static/array.js`): string {
  const started = JSON.stringify([[token, config, "posthog"]]);
  return `<script>window.posthog = Object.assign([], { __SV: 1, people: [], _i: ${started} });</script>
    <script src="${script}" crossorigin="anonymous"></script>`;
}

/** The same with an SDK of the past, which the shop serves itself: that of an installed package. */
export const pastSnippet =
  (alias: string): Tags =>
  (facts) =>
    snippet(facts, `/sdk/${alias}.js`);

/** A shop's page on an origin of its own, with the SDK from the Weir behind `wire`. */
export class Shop implements AsyncDisposable {
  /** What the browser's console says is wrong, and requests that got no answer or a bad one. */
  readonly complaints: string[] = [];
  private isLeft = false;

  private constructor(
    readonly page: Page,
    readonly wire: Wire,
    private readonly server: { stop(force: boolean): Promise<void> },
  ) {
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("requestfailed", (request) => {
      const why = request.failure()?.errorText;
      // A page that is left waits for no answer; what it sent is counted at the wire.
      if (!(this.isLeft && why === "net::ERR_ABORTED")) this.complaints.push(`${request.url()}: ${why}`);
    });
  }

  static async open(
    { weir, browser }: { weir: Weir; browser: BrowserContext },
    settings: object = {},
    tags: Tags = (facts) => snippet(facts),
  ): Promise<Shop> {
    const wire = tap(weir.url);
    const config = {
      api_host: wire.url,
      // A browser driven by a test is a bot to the SDK.
      opt_out_useragent_filter: true,
      request_queue_config: { flush_interval_ms: FLUSH_MS },
      ...settings,
    };
    const html = `<!doctype html><title>Shop</title><link rel="icon" href="data:,">
      <body><main><button id="buy" class="primary large" data-kind="offer">Buy now</button></main>
      ${tags({ address: wire.url, token: weir.projectKey, config })}`;
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        const [, alias] = /\/sdk\/([\w.-]+)\.js$/.exec(url) ?? [];
        if (alias !== undefined) return new Response(Bun.file(join(MODULES, alias, "dist/array.js")));
        return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
      },
    });
    const page = await browser.newPage();
    const shop = new Shop(page, wire, server);
    // Another host name, so that site and origin both differ from the Weir's.
    await page.goto(`http://localhost:${server.port}/offers?utm_source=letter`, { waitUntil: "load" });
    await page.waitForFunction(() => window.posthog?.__loaded === true);
    return shop;
  }

  /** Goes to another page, as visitors do. */
  async leave(): Promise<void> {
    this.isLeft = true;
    await this.page.goto("about:blank");
  }

  sent(): Exchange[] {
    return this.wire.exchanges.filter(({ path, method }) => [EVENTS_PATH, "/e/"].includes(path) && method === "POST");
  }

  sentNames(): string[] {
    return this.sent().flatMap((exchange) => decodeBatch(exchange).batch.map(({ event }) => event));
  }

  /** Waits until events of these names have been answered. */
  async seen(...names: string[]): Promise<void> {
    await until(`${names} on the wire, not just ${this.sentNames()}`, HANG_MS, () => {
      const isAnswered = this.sent().every(({ status }) => status !== 0);
      return isAnswered && names.every((name) => this.sentNames().includes(name));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close();
    await this.wire[Symbol.asyncDispose]();
    await this.server.stop(true);
  }
}
