import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { HANG_MS, until } from "../support/processes.ts";
import { fillShop } from "./support/shopEvents.ts";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

// Pages while Weir is away, or something else answers in its place.

const LOOKS = { width: 1440, scheme: "light" } as const;
const PART = /\/assets\/.*\.js$/;
const AWAY = "This part of the page does not load. Is Weir running?";

let stage: Stage;
let visitor: Visitor;
let insight: string;
let board: number;
beforeAll(async () => {
  stage = await Stage.open();
  await stage.logIn();
  await fillShop(stage.weir);
  const query = {
    kind: "InsightVizNode",
    source: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "bought" }] },
  };
  const made = await stage.weir.manage("POST", "/api/environments/1/dashboards/", { name: "Shop" });
  board = (made.json as { id: number }).id;
  const sales = { name: "Sales", query, dashboards: [board] };
  const { json } = await stage.weir.manage("POST", "/api/environments/1/insights/", sales);
  insight = `/project/1/insights/${(json as { short_id: string }).short_id}`;
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  await visitor?.leave();
  visitor = await stage.enter(LOOKS);
  visitor.expects(/net::ERR_|status of 40[04] /);
});

async function openSales(): Promise<void> {
  await visitor.open(insight);
  await visitor.page.locator(".insight-chart canvas").waitFor();
}

describe("a part of a page that is loaded while Weir is away", () => {
  const fromMenu = (item: string) => async () => {
    await visitor.clicks("button", "More");
    await visitor.clicks("menuitem", item);
  };
  const parts: [string, () => Promise<void>][] = [
    ["Share insight", () => visitor.clicks("button", "Share")],
    ["Alerts", fromMenu("Alerts")],
    ["Go to", () => visitor.presses("Control+k")],
  ];

  test.each(parts)("says so, leaves the page, and comes with the next try: %s", async (title, open) => {
    const { page } = visitor;
    await openSales();
    await page.evaluate("globalThis.isSamePage = true");
    await page.route(PART, (route) => route.abort());
    await open();
    await visitor.sees(AWAY);
    await page.locator(".insight-chart canvas").waitFor();
    await page.unroute(PART);
    await visitor.clicks("button", "Try again");
    await page
      .getByRole("dialog", { name: title })
      .getByRole(title === "Go to" ? "option" : "button")
      .first()
      .waitFor();
    expect([await page.evaluate<unknown>("globalThis.isSamePage"), visitor.complaints]).toEqual([true, []]);
  });

  test("has the page loaded anew where a new release took its place", async () => {
    const { page } = visitor;
    await openSales();
    await page.evaluate("globalThis.isSamePage = true");
    // The page that is loaded anew has the files of the new release.
    let isNew = false;
    page.on("request", (request) => {
      isNew ||= request.isNavigationRequest();
    });
    const loaded = page.waitForEvent("framenavigated");
    await page.route(PART, (route) => (isNew ? route.fallback() : route.fulfill({ status: 404 })));
    await visitor.clicks("button", "Share");
    await loaded;
    await page.locator(".insight-chart canvas").waitFor();
    expect(await page.evaluate<unknown>("globalThis.isSamePage")).toBeUndefined();
  });
});

describe("what is no answer of Weir", () => {
  const api = /\/api\/(?!users)/;
  const WORDS = "Something else answered in Weir's place.";
  const answers: [string, { contentType?: string; body: string }][] = [
    ["a page of a proxy", { contentType: "text/html", body: "<h1>Sign in to the wifi</h1>" }],
    ["nothing", { body: "" }],
    ["null", { contentType: "application/json", body: "null" }],
    ["a word", { contentType: "application/json", body: '"OK"' }],
  ];

  /** Each part that says the words has its own way back. */
  const everyPartIsTriedAgain = (words: string | RegExp) =>
    until("all parts", HANG_MS, async () => {
      const lost = visitor.page.getByText(words);
      const count = await lost.count();
      if (count === 0) return true;
      await visitor.clicks("button", /Try again|Load it again/);
      await lost.nth(count - 1).waitFor({ state: "detached" });
      return false;
    });

  test.each(answers)("is told in words, with a way back: %s", async (_, answer) => {
    const { page } = visitor;
    for (const place of ["insights", "dashboard", "persons", "data-management/annotations"]) {
      await page.route(api, (route) => route.fulfill(answer));
      await visitor.open(`/project/1/${place}`);
      await visitor.sees(WORDS);
      await page.unroute(api);
      await everyPartIsTriedAgain(WORDS);
    }
    expect(visitor.complaints).toEqual([]);
  });

  test.each(["{}", "[]"])("is told in words where it has another shape, too: %s", async (body) => {
    const { page } = visitor;
    const words = /something else answered in Weir's place/;
    visitor.expects(/TypeError/);
    for (const place of ["insights", "dashboard", "persons", `dashboard/${board}`]) {
      await page.route(api, (route) => route.fulfill({ contentType: "application/json", body }));
      await visitor.open(`/project/1/${place}`);
      await visitor.sees(words);
      expect(await page.getByText(/undefined|is not/).count()).toBe(0);
      await page.unroute(api);
      await everyPartIsTriedAgain(words);
    }
    expect(visitor.complaints).toEqual([]);
  });

  test("is not saved as a file of numbers", async () => {
    const { page } = visitor;
    await visitor.open(`/project/1/dashboard/${board}`);
    await page.getByRole("article").locator("canvas").waitFor();
    await page.route(/format=csv/, (route) => route.fulfill(answers[0]![1]));
    await visitor.clicks("button", "More for Sales");
    await visitor.clicks("menuitem", "CSV");
    await visitor.sees(WORDS);
    expect(visitor.complaints).toEqual([]);
  });
});
