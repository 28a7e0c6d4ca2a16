import { expect } from "bun:test";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { HANG_MS, until } from "../../support/processes.ts";
import { axeViolations } from "./axe.ts";

/** After it the keys are pressed once more. */
const ARRIVAL_MS = 5_000;
/** What a browser says of an answer that the page asked for and knows how to take. */
const EXPECTED = [/status of (?:401|404|429) /];

/** Runs in the page. What scrolls by itself keeps what is in it. */
const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const isKept = (element) => {
    for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  const wide = Array.from(document.querySelectorAll("body *")).filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1 && !isKept(element),
  );
  return [scrollWidth + " of " + clientWidth + " px", ...wide.slice(-3).map((element) => element.outerHTML.slice(0, 200))];
})()`;

export interface Looks {
  width: number;
  scheme: "light" | "dark";
  /** As people set it for whom movement is a burden. */
  isStill?: boolean;
}

/** Somebody in front of a browser: a page that is watched for all that it should not do. */
export class Visitor {
  /** Errors in the console, defects, dialogs, requests to other hosts. */
  readonly complaints: string[] = [];
  private readonly expected = [...EXPECTED];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.setDefaultTimeout(HANG_MS);
    page.on("console", (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (message.type() === "error" && !this.expected.some((known) => known.test(text))) this.complaints.push(text);
    });
    page.on("pageerror", (error) => this.complaints.push(error.stack ?? String(error)));
    page.on("dialog", (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const { protocol, origin: asked } = new URL(request.url());
      if (protocol.startsWith("http") && asked !== origin) this.complaints.push(`a request to ${request.url()}`);
    });
  }

  static async enter(
    browser: BrowserContext,
    origin: string,
    { width, scheme, isStill = true }: Looks,
  ): Promise<Visitor> {
    const page = await browser.newPage();
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: isStill ? "reduce" : "no-preference" });
    return new Visitor(page, origin);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(this.origin + path);
  }

  /** Path, query and fragment of the address. */
  get address(): string {
    return this.page.url().slice(this.origin.length);
  }

  /** A refusal that the test provokes, and the page takes. */
  expects(error: RegExp): void {
    this.expected.push(error);
  }

  /** Waits until something is in sight. */
  async sees(what: Locator | string | RegExp): Promise<void> {
    const place = typeof what === "string" || what instanceof RegExp ? this.page.getByText(what) : what;
    await place.first().waitFor({ state: "visible" });
  }

  async clicks(role: Parameters<Page["getByRole"]>[0], name: string | RegExp): Promise<void> {
    await this.page.getByRole(role, { name }).first().click();
  }

  async presses(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Goes to a page of the project by `g` and its key. The two belong together only within a second, so a slow machine gets another try. */
  async goes(key: string, path: string): Promise<void> {
    await until(`the page that g ${key} opens`, HANG_MS, async () => {
      await this.presses("g", key);
      return this.page.waitForURL(`**/${path}`, { timeout: ARRIVAL_MS, waitUntil: "commit" }).then(
        () => true,
        () => false,
      );
    });
  }

  /** What readers of screens, or eyes that see little contrast, cannot use on the page as it is. */
  violations(): Promise<string[]> {
    return axeViolations(this.page);
  }

  /** A place on the way: usable by all, nothing wider than the window, and nothing went wrong until here. */
  async expectFine(): Promise<void> {
    await this.page.locator("h1").first().waitFor({ state: "attached" });
    expect(await this.violations()).toEqual([]);
    expect(await this.overflow()).toEqual([]);
    expect(this.complaints).toEqual([]);
  }

  /** What sticks out of the window at its right, so that the whole page would scroll sideways. */
  overflow(): Promise<string[]> {
    return this.page.evaluate(OVERFLOW);
  }

  async leave(): Promise<void> {
    await this.page.close();
  }
}
