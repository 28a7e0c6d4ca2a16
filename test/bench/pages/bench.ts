import type { BrowserContext, Page } from "playwright-core";
import { DAY_MS } from "../../../src/types/mod.ts";
import { startChromium } from "../../support/chromium.ts";
import { startWeir, type Weir } from "../../support/weir.ts";
import { copyDataset } from "../dataset/copy.ts";
import { untilMs, type Vocabulary } from "../dataset/vocabulary.ts";
import { percentile, rounded, summaryOf } from "../report.ts";
import { timeUsable, weigh } from "./firstPage.ts";
import { benchLive, type LiveOptions } from "./live.ts";
import { msUntil, watchPaint } from "./painted.ts";
import { logIn, makeBoard } from "./scene.ts";

export interface PagesOptions {
  events: number;
  /** Clicks on a trend; loads of a page and of the dashboard are a quarter of that. */
  runs: number;
  live: LiveOptions;
}

const SLOWDOWN = 4;
const WINDOW = { width: 1440, height: 1000 };
const LIMITS = { firstPageBytes: 150_000, sqlPageBytes: 300_000, usableMs: 1_000, boardMs: 500, trendP95Ms: 400 };
const PREFIX = "/project/1";
/** What says that an answer is there and drawn. */
const DRAWN = `document.querySelector(".insight-view[aria-busy=false] .insight-chart:not(.old) canvas") !== null`;
const CHARTS = `Array.from(document.querySelectorAll("article")).filter((tile) => tile.querySelector(".insight-chart :is(canvas, button, svg)"))`;
const FORM = `document.querySelector(".insight-form .one-picker button") !== null`;

/** The pages in a real browser: what they weigh, and how long people wait for them. */
export async function benchPages({ live, ...options }: PagesOptions): Promise<object> {
  const atRest = await benchAtRest(options);
  const { bench: _, ...besideLoad } = (await benchLive(live)) as { bench: string };
  return { bench: "pages", ...atRest, live: besideLoad };
}

async function benchAtRest({ events, runs }: Omit<PagesOptions, "live">): Promise<object> {
  using copy = await copyDataset(events);
  await using weir = await startWeir({ dataDir: copy.dataDir });
  await using context = await startChromium();
  await logIn(weir, context);
  const { vocabulary } = copy.set;
  const board = await makeBoard(weir, vocabulary);
  const loads = Math.max(3, Math.ceil(runs / 4));
  return {
    ...{ events, slowdown: SLOWDOWN, window: WINDOW },
    firstPages: await firstPages(context, weir, loads),
    sql: await sqlPage(context, weir),
    board: await boards(context, weir, { board, loads }),
    trend: await trends(context, weir, { vocabulary, runs }),
    picker: await picker(context, weir),
  };
}

async function firstPages(context: BrowserContext, weir: Weir, loads: number): Promise<object> {
  const places = {
    // It shows the dashboard: usable when the first chart is there.
    home: ["/home", `${CHARTS}.length > 0`],
    question: ["/insights/new", FORM],
  } as const;
  const measured: Record<string, object> = {};
  for (const [name, [path, isReady]] of Object.entries(places)) {
    const url = weir.url + PREFIX + path;
    const weight = await weigh(context, url, isReady);
    const usable = summaryOf(await timeUsable(context, url, { isReady, slowdown: SLOWDOWN, runs: loads }));
    measured[name] = {
      weight: { ...weight, limit: LIMITS.firstPageBytes, isMet: weight.bytes <= LIMITS.firstPageBytes },
      usable: { ...usable, limit: LIMITS.usableMs, isMet: usable.p95Ms <= LIMITS.usableMs },
    };
  }
  return measured;
}

const ROWS = 50_000;
/** Times the page is scrolled by as much as is in sight. */
const SCROLLS = 200;
const FRAME_MS = 1_000 / 60;

/** The page of SQL: what it weighs, and how evenly the table of its longest answer scrolls. */
async function sqlPage(context: BrowserContext, weir: Weir): Promise<object> {
  const url = `${weir.url}${PREFIX}/sql`;
  const isReady = `document.querySelector(".sql-editor")?.shadowRoot?.querySelector(".cm-content") != null`;
  const weight = await weigh(context, url, isReady);
  const page = await openPage(context);
  await page.goto(url);
  await page.locator(".cm-content").click();
  await page.keyboard.insertText(`SELECT number, toString(number), number * 2 FROM numbers(${ROWS}) LIMIT ${ROWS}`);
  await page.keyboard.press("Control+Enter");
  await page.locator(".sql-results[aria-busy=false] .table-box.long").waitFor();
  const framesMs = await page.evaluate<number[]>(`new Promise((done) => {
    const box = document.querySelector(".sql-results .table-box");
    const times = [];
    let last = performance.now();
    const step = (now) => {
      times.push(now - last);
      last = now;
      if (times.length > ${SCROLLS}) return done(times.slice(1));
      box.scrollTop += box.clientHeight;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  await page.close();
  const lateFrames = framesMs.filter((ms) => ms > 2 * FRAME_MS).length;
  return {
    weight: { ...weight, limit: LIMITS.sqlPageBytes, isMet: weight.bytes <= LIMITS.sqlPageBytes },
    scroll: { rows: ROWS, ...summaryOf(framesMs), lateFrames, of: framesMs.length },
  };
}

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.setViewportSize(WINDOW);
  await watchPaint(page);
  return page;
}

/** From the click on its name until all its tiles are painted. */
async function boards(context: BrowserContext, weir: Weir, o: { board: number; loads: number }): Promise<object> {
  const page = await openPage(context);
  const link = `document.querySelector('a[href="${PREFIX}/dashboard/${o.board}"]')`;
  const timesMs: number[] = [];
  for (let load = 0; load < o.loads; load++) {
    await page.goto(`${weir.url}${PREFIX}/dashboard`);
    await page.locator("main a", { hasText: "Twelve" }).waitFor();
    timesMs.push(await msUntil(page, `${link}.click()`, `${CHARTS}.length === 12`));
  }
  await page.close();
  const summary = summaryOf(timesMs);
  return { tiles: 12, ...summary, limit: LIMITS.boardMs, isMet: summary.p95Ms <= LIMITS.boardMs };
}

/** From a choice in the form of a trend, whose answer nobody has asked for yet, until its chart is painted. */
async function trends(
  context: BrowserContext,
  weir: Weir,
  { vocabulary, runs }: { vocabulary: Vocabulary; runs: number },
): Promise<object> {
  const page = await openPage(context);
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const choose = `const select = Array.from(document.querySelectorAll("select")).find((one) => one.labels[0]?.textContent === "What is counted");
    select.value = "dau"; select.dispatchEvent(new Event("change", { bubbles: true }))`;
  let isBegun = false;
  const timesMs: number[] = [];
  for (let run = 0; run < runs + 1; run++) {
    const source = {
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: vocabulary.names.page, math: "total" }],
      // Another range each time: no answer is there yet.
      dateRange: { date_from: dayOf(vocabulary.fromMs + run * DAY_MS), date_to: dayOf(untilMs(vocabulary) - DAY_MS) },
    };
    const fragment = `#q=${encodeURIComponent(JSON.stringify({ kind: "InsightVizNode", source }))}`;
    await page.goto("about:blank");
    await page.goto(`${weir.url}${PREFIX}/insights/new${fragment}`);
    await page.evaluate(`painted(() => ${DRAWN})`);
    const isNew = `(globalThis.wasBusy ||= document.querySelector(".insight-view[aria-busy=true]") !== null) && ${DRAWN}`;
    const ms = await msUntil(page, choose, isNew);
    // The first one also loads what the others find there.
    if (isBegun) timesMs.push(ms);
    isBegun = true;
  }
  await page.close();
  const summary = summaryOf(timesMs);
  return { ...summary, limit: LIMITS.trendP95Ms, isMet: summary.p95Ms <= LIMITS.trendP95Ms };
}

const TYPED = "done started paid page".split("");

/** Typing in the picker while no request is answered: what is seen then waits for none. */
async function picker(context: BrowserContext, weir: Weir): Promise<object> {
  const page = await openPage(context);
  await page.goto(`${weir.url}${PREFIX}/insights/new`);
  await page.evaluate(`painted(() => ${FORM})`);
  await page.locator(".insight-form .one-picker button").first().click();
  await page.locator(".listbox-option").first().waitFor();
  let held = 0;
  await page.route("**/api/**", () => void held++);
  const timesMs: number[] = [];
  for (const [index, sign] of TYPED.entries()) {
    const text = JSON.stringify(sign === " " ? "" : TYPED.slice(TYPED.lastIndexOf(" ", index) + 1, index + 1).join(""));
    timesMs.push(
      await msUntil(
        page,
        `const field = document.querySelector(".search-list input"); const before = document.querySelector(".listbox").textContent; field.value = ${text}; field.dispatchEvent(new Event("input", { bubbles: true }))`,
        `document.querySelector(".search-list input").value === ${text} && document.querySelector(".listbox-option") !== null`,
      ),
    );
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.close();
  return { ...summaryOf(timesMs), maxMs: rounded(percentile(timesMs, 1)), requestsHeld: held, isMet: true };
}
