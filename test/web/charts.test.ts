import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { openWindow } from "../support/chromium.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { serveGallery } from "./gallery/serve.ts";
import { type Looks, Visitor } from "./support/visitor.ts";

const CHARTS = ["time", "number", "pie", "rank", "funnel", "histogram", "retention", "sankey", "world", "calendar"];
const LOOKS: readonly Looks[] = [
  { width: 1440, scheme: "light" },
  { width: 360, scheme: "dark" },
];
const PLACES = 30;

let gallery: Awaited<ReturnType<typeof serveGallery>>;
let browser: BrowserContext & AsyncDisposable;
beforeAll(async () => {
  gallery = await serveGallery();
  browser = await openWindow();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await gallery[Symbol.asyncDispose]();
});

async function visit(chart: string, { state, ...looks }: Partial<Looks> & { state?: string } = {}): Promise<Visitor> {
  const visitor = await Visitor.enter(browser, new URL(gallery.url).origin, { width: 1440, scheme: "light", ...looks });
  await visitor.open(`/?chart=${chart}${state === undefined ? "" : `&state=${state}`}`);
  const drawn = { time: ".u-over", sankey: ".sankey-node", world: ".country" }[chart] ?? ".gallery-box > *";
  await visitor.page.locator(drawn).first().waitFor({ state: "attached" });
  return visitor;
}

const picks = (page: Page) => page.evaluate("window.picks") as Promise<unknown[][]>;

/** Presses a point of the plot, given as parts of its width and height. */
async function press(page: Page, across: number, down: number): Promise<void> {
  const box = (await page.locator(".u-over").boundingBox())!;
  await page.mouse.click(box.x + 2 + across * (box.width - 4), box.y + 2 + down * (box.height - 4));
}

describe.each(LOOKS)("in $width px, $scheme", (looks) => {
  test.each(CHARTS)("%s is drawn under the policy, for all readers, and no wider than the page", async (chart) => {
    const visitor = await visit(chart, looks);
    expect(await visitor.violations()).toEqual([]);
    expect(visitor.complaints).toEqual([]);
    const wider = await visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(wider).toBeLessThanOrEqual(0);
    await visitor.leave();
  });
});

describe("a time chart", () => {
  test("picks the series that is nearest to the pointer", async () => {
    const { page, leave, ...visitor } = await visiting("time", "line");
    await press(page, 10 / (PLACES - 1), 0);
    await press(page, 10 / (PLACES - 1), 1);
    await press(page, 0, 0);
    await press(page, 1, 1);
    // "Pageview" is always the highest, "Purchase" the lowest.
    expect(await picks(page)).toEqual([
      ["time", 0, 10],
      ["time", 2, 10],
      ["time", 0, 0],
      ["time", 2, 29],
    ]);
    expect(visitor.complaints).toEqual([]);
    await leave();
  });

  test("lists the values of the place, the largest first", async () => {
    const { page, leave } = await visiting("time", "fifty");
    const box = (await page.locator(".u-over").boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 5);
    const rows = await page.locator(".tip .tip-value").allTextContents();
    const values = rows.map((text) => Number(text.replaceAll(",", "")));
    expect(values).toHaveLength(12);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    expect(await page.locator(".tip").textContent()).toContain("and 38 more");
    await leave();
  });

  test("is walked by keyboard", async () => {
    const { page, leave } = await visiting("time", "line");
    const plot = page.getByRole("slider");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.role")).toBe("slider");
    for (const key of ["Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    expect(await plot.getAttribute("aria-valuetext")).toMatch(/^Thu 23 Apr 2026, Sign up: [\d,]+$/);
    await page.keyboard.press("Enter");
    for (const key of ["ArrowDown", "End", "Enter", "ArrowUp", "ArrowUp", "Space"]) await page.keyboard.press(key);
    expect(await picks(page)).toEqual([
      ["time", 1, 3],
      ["time", 2, 29],
      ["time", 0, 29],
    ]);
    expect(await plot.getAttribute("aria-valuetext")).toMatch(/^Tue 19 May 2026, Pageview: [\d,]+ so far$/);
    expect(await page.locator(".tip").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator(".tip").count()).toBe(0);
    await leave();
  });

  test("hides a series at its name, and the others keep their indexes", async () => {
    const { page, leave } = await visiting("time", "lifecycle");
    const name = page.getByRole("button", { name: "New", exact: true });
    await name.click();
    expect(await name.getAttribute("aria-pressed")).toBe("false");
    const at = 3.5 / 14;
    // From the top: resurrecting, returning, (new), and below zero dormant.
    await press(page, at, 0);
    await press(page, at, 1);
    await page.getByRole("button", { name: "Dormant" }).click();
    await press(page, at, 1);
    await name.click();
    await press(page, at, 1);
    expect(await picks(page)).toEqual([
      ["time", 2, 3],
      ["time", 3, 3],
      ["time", 1, 3],
      ["time", 0, 3],
    ]);
    await leave();
  });

  test("picks the bar that is pressed, beside each other and on top of each other", async () => {
    const { page, leave } = await visiting("time", "bar");
    // Ten places with two bars each.
    await press(page, 2.5 / 10 - 0.02, 0.95);
    await press(page, 2.5 / 10 + 0.02, 0.95);
    await press(page, 9.5 / 10 - 0.02, 0.05);
    expect(await picks(page)).toEqual([
      ["time", 0, 2],
      ["time", 1, 2],
      ["time", 0, 9],
    ]);
    await leave();
  });

  test("picks nothing where there is nothing", async () => {
    const { page, leave } = await visiting("time", "allNull");
    await press(page, 0.5, 0.5);
    await page.getByRole("slider").press("Home");
    expect(await page.getByRole("slider").getAttribute("aria-valuetext")).toBe("Mon 20 Apr 2026: no value");
    await page.keyboard.press("Enter");
    expect(await picks(page)).toEqual([]);
    await leave();
  });

  test("shows the place of another with the same key", async () => {
    const { page, leave } = await visiting("time", "synced");
    const lines = page.locator(".u-cursor-x");
    const [first, second] = [page.locator(".u-over").nth(0), page.locator(".u-over").nth(1)];
    const box = (await first.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    const at = async (index: number) => (await lines.nth(index).boundingBox())!.x;
    const share = async (index: number, over: typeof first) => {
      const { x, width } = (await over.boundingBox())!;
      return Math.round((((await at(index)) - x) / width) * (PLACES - 1));
    };
    expect(await share(1, second)).toBe(await share(0, first));
    expect(await page.locator(".tip").count()).toBe(1);
    await leave();
  });

  test("is drawn anew in other colours when the scheme changes, and as sharp as the screen is", async () => {
    const { page, leave } = await visiting("time", "single");
    await page.locator("canvas").waitFor();
    const canvas = `document.querySelector("canvas")`;
    const before = await page.evaluate(`${canvas}.toDataURL()`);
    await page.emulateMedia({ colorScheme: "dark" });
    // Playwright's own waiting would evaluate texts in the page, which the policy forbids.
    await until("another drawing", HANG_MS, async () => (await page.evaluate(`${canvas}.toDataURL()`)) !== before);
    const off = await page.evaluate(`${canvas}.width - ${canvas}.clientWidth * devicePixelRatio`);
    expect(Math.abs(off as number)).toBeLessThanOrEqual(1);
    await leave();
  });
});

async function visiting(chart: string, state: string) {
  const visitor = await visit(chart, { state });
  return { page: visitor.page, complaints: visitor.complaints, leave: () => visitor.leave() };
}

/** A part by what it says, what picking it gives, and keys that lead from it to another part with what that gives. */
const PARTS: readonly [chart: string, state: string, name: string, pick: unknown[], keys: string[], next: unknown[]][] =
  [
    ["number", "plain", "Unique visitors: 128,430", ["big"], [], ["big"]],
    ["pie", "plain", "Safari: 2,310, 23.2%", ["pie", 1], ["ArrowDown"], ["pie", 2]],
    ["rank", "plain", "Firefox: 1,204", ["rank", 2], ["ArrowUp"], ["rank", 1]],
    ["histogram", "plain", "8h: 122", ["histogram", 2], ["ArrowRight", "ArrowRight"], ["histogram", 4]],
    [
      "retention",
      "ratio",
      "8 Mar 2026, Week 2: 40.1%, 344 of 857",
      ["retention", 1, 2],
      ["ArrowDown", "ArrowLeft"],
      ["retention", 2, 1],
    ],
    ["calendar", "plain", "Wed, 14:00", ["calendar", 2, 14], ["ArrowRight", "ArrowUp"], ["calendar", 1, 15]],
    [
      "funnel",
      "vertical",
      "Step 3, Add to basket: 1,120, 26.6% of the first step, 42.6% of the step before",
      ["funnel", 2, 0, false],
      ["ArrowUp"],
      ["funnel", 2, 0, true],
    ],
    [
      "funnel",
      "vertical",
      "Step 2, Sign up: 1,580 dropped off before it",
      ["funnel", 1, 0, true],
      ["ArrowDown"],
      ["funnel", 1, 0, false],
    ],
    [
      "funnel",
      "groups",
      "Step 2, Sign up, Safari: 900, 60% of the first step",
      ["funnel", 1, 1, false],
      ["ArrowRight"],
      ["funnel", 1, 2, false],
    ],
    [
      "funnel",
      "horizontal",
      "Step 4, Purchase: 112 dropped off before it",
      ["funnel", 3, 0, true],
      ["ArrowLeft"],
      ["funnel", 3, 0, false],
    ],
    ["world", "plain", "India: 3,900", ["country", 3], ["ArrowDown"], ["country", 4]],
    ["world", "plain", "Singapore: 610", ["country", 5], ["ArrowDown"], ["country", 6]],
    ["sankey", "plain", "/pricing to /blog: 30", ["link", 4], [], ["link", 4]],
    ["sankey", "plain", "/blog: 120", ["node", 4], [], ["node", 4]],
  ];

describe("parts of charts", () => {
  test.each(PARTS)(
    "%s %s: %s is picked by the pointer and by keyboard",
    async (chart, state, name, pick, keys, next) => {
      const { page, complaints, leave } = await visiting(chart, state);
      const part = page.getByRole("button", { name }).first();
      await part.hover({ timeout: 5_000 });
      await part.click();
      await part.focus();
      for (const key of keys) await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      expect(await picks(page)).toEqual([pick, next]);
      expect(complaints).toEqual([]);
      await leave();
    },
  );

  test.each(["pie", "rank", "histogram", "retention", "calendar", "funnel", "world", "sankey"])(
    "%s is one stop of the Tab key",
    async (chart) => {
      const state = chart === "retention" ? "ratio" : chart === "funnel" ? "vertical" : "plain";
      const { page, leave } = await visiting(chart, state);
      expect(await page.locator("[data-at][tabindex='0']").count()).toBe(1);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.dataset.at")).toBeDefined();
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.dataset.at")).toBeUndefined();
      await leave();
    },
  );
});
