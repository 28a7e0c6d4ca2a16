import type { BrowserContext, Page } from "playwright-core";
import { axeViolations } from "./axe.ts";

/** Of the test's hanging, not of the page's speed. */
const PATIENCE_MS = 60_000;
/** What a browser says of an answer that the page asked for and knows how to take. */
const EXPECTED = [/status of (?:401|404|429) /];

export interface Looks {
  width: number;
  scheme: "light" | "dark";
  /** As people set it for whom movement is a burden. */
  isStill?: boolean;
}

/** Somebody in front of a browser: a page that is watched for all that it should not do. */
export class Visitor {
  /** Errors in the console, defects, files that did not come, requests to other hosts. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !EXPECTED.some((known) => known.test(text))) this.complaints.push(text);
    });
    page.on("pageerror", (error) => this.complaints.push(error.stack ?? String(error)));
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

  /** What readers of screens, or eyes that see little contrast, cannot use on the page as it is. */
  violations(): Promise<string[]> {
    return axeViolations(this.page);
  }

  async leave(): Promise<void> {
    await this.page.close();
  }
}
