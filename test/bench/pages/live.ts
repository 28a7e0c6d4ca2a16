import { constants, setPriority } from "node:os";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { startChromium } from "../../support/chromium.ts";
import { until } from "../../support/processes.ts";
import { type Role, startWeir, type Weir } from "../../support/weir.ts";
import { pace } from "../pace.ts";
import { percentile, rounded, summaryOf, usageOf } from "../report.ts";
import { type Frame, framesSummary, scrolledFrames } from "./frames.ts";
import { logIn } from "./scene.ts";

export interface LiveOptions {
  seconds: number;
  eventsPerSecond: number;
}

const WINDOW = { width: 1440, height: 1000 };
const PAGE = "/project/1/events";
const ROLES: Role[] = ["front", "api", "worker-0", "query-0", "query-1", "nats-server"];
/** Looks at memory and frames, over the whole time; one takes some seven seconds. */
const SAMPLES = 15;
const SAMPLE_SECONDS = 10;
const LIMITS = { scrollP95Ms: 20, growth: 1.2 };
const DRAIN_MS = 120_000;
const POLLS = 20;
const LIST = ".event-list";
/** A thousand rows. */
const KEPT_PX = 36_000;
const SCROLLS_WITHOUT_LOAD = 3;

/**
 * The page of events beside a steady load: memory, frames while one scrolls, how old an event is when it is painted, and what it
 * costs. A reader's browser is on another machine than Weir: here it goes first, and what is started afterwards has the lowest
 * priority. That cannot be taken back, so this is the last of several measurements.
 */
export async function benchLive({ seconds, eventsPerSecond }: LiveOptions): Promise<object> {
  await using context = await startChromium();
  await using emptyContext = await startChromium();
  setPriority(constants.priority.PRIORITY_LOW);
  await using weir = await startWeir();
  await logIn(weir, context);
  const load = { eventsPerSecond, seconds };
  // The same without a reader.
  const alone = await underLoad(weir, { ...load, seconds: Math.ceil(seconds / 5) }, () => Promise.resolve(null));
  await drained(weir);
  const page = await openLive(context, weir);
  const empty = await openEmpty(emptyContext);
  const beside = await underLoad(weir, load, () => watch({ page, empty, seconds }));
  await drained(weir);
  await checkCount(page, beside.sent);
  const without = await scrolledTimes(page, LIST, SCROLLS_WITHOUT_LOAD);
  const delays = await page.evaluate<number[]>("globalThis.delaysMs");
  const scroll = framesSummary(beside.seen.flatMap(({ frames }) => frames));
  const emptyScroll = framesSummary(beside.seen.flatMap(({ emptyFrames }) => emptyFrames));
  const memory = beside.seen.map(({ frames: _, emptyFrames: __, ...rest }) => rest);
  const grown = growthOf(memory.map(({ heapBytes }) => heapBytes));
  await page.close();
  return {
    bench: "live",
    ...load,
    priority: { browser: 0, weirAndLoad: constants.priority.PRIORITY_LOW },
    sent: beside.sent,
    memory: { samples: memory, growth: grown, limit: LIMITS.growth, isMet: grown <= LIMITS.growth },
    scroll: {
      ...{ beside: scroll, emptyPageBeside: emptyScroll, withoutLoad: framesSummary(without) },
      ...{ limit: LIMITS.scrollP95Ms, isMet: scroll.p95Ms <= LIMITS.scrollP95Ms },
    },
    paintedAfter: { ...summaryOf(delays), updates: delays.length },
    cpuUsPerEvent: { alone: alone.cpuUsPerEvent, beside: beside.cpuUsPerEvent },
    polls: await polls(weir),
  };
}

/** Sends, while `body` looks. */
async function underLoad<T>(weir: Weir, { eventsPerSecond, seconds }: LiveOptions, body: () => Promise<T>) {
  const used = () => ROLES.map((role) => (weir.isRunning(role) ? usageOf(weir.pidOf(role)).cpuMs : 0));
  const before = used();
  const [result, seen] = await Promise.all([pace(weir, eventsPerSecond, seconds), body()]);
  const after = used();
  const perEvent = (at: number) => rounded(((after[at]! - before[at]!) * 1_000) / result.sent);
  return { ...result, seen, cpuUsPerEvent: Object.fromEntries(ROLES.map((role, at) => [role, perEvent(at)])) };
}

const drained = (weir: Weir) =>
  until("all events to be stored", DRAIN_MS, async () => (await weir.ingestionStatus()).queued === 0);

/** How old the event at the top is, each time when another one was painted there. */
const DELAYS = `globalThis.delaysMs = [];
  let top = null;
  new MutationObserver(() => {
    const time = document.querySelector(".event-list tbody time");
    if (time === null || time.dateTime === top) return;
    top = time.dateTime;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => delaysMs.push(Date.now() - Date.parse(top));
    requestAnimationFrame(() => channel.port2.postMessage(null));
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["datetime"] });`;

async function openLive(context: BrowserContext, weir: Weir): Promise<Page> {
  const page = await context.newPage();
  await page.setViewportSize(WINDOW);
  await page.goto(weir.url + PAGE);
  await page.locator(".event-list tbody time").first().waitFor();
  await page.evaluate(DELAYS);
  return page;
}

interface Sample {
  atS: number;
  /** After a collection of garbage. */
  heapBytes: number;
  nodes: number;
  frames: Frame[];
  emptyFrames: Frame[];
}

interface Watched {
  page: Page;
  empty: Page;
  seconds: number;
}

/** Looks now and then, for as long as the load lasts. */
async function watch({ page, empty, seconds }: Watched): Promise<Sample[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const beganMs = performance.now();
  const samples: Sample[] = [];
  const count = Math.min(SAMPLES, Math.max(1, Math.floor(seconds / SAMPLE_SECONDS) - 1));
  for (let sample = 1; sample <= count; sample++) {
    // The first load is over before the first look.
    const waitMs = beganMs + (sample * seconds * 1_000) / (count + 1) - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    samples.push({
      atS: Math.round((performance.now() - beganMs) / 1_000),
      ...(await memoryOf(session)),
      frames: await scrolledFrames(page, LIST),
      emptyFrames: await scrolledFrames(empty, LIST),
    });
  }
  await session.detach();
  return samples;
}

async function scrolledTimes(page: Page, selector: string, times: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (let time = 0; time < times; time++) frames.push(...(await scrolledFrames(page, selector)));
  return frames;
}

/** A page with nothing but what is scrolled, of the size of the list: how late frames are through the machine alone. */
async function openEmpty(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.setViewportSize(WINDOW);
  await page.setContent(
    `<div class="event-list" style="height: 776px; overflow: auto; contain: strict"><div style="height: ${KEPT_PX}px">empty</div></div>`,
  );
  return page;
}

/** Not of the whole process: there the driver of the browser keeps the answers that came. */
async function memoryOf(session: CDPSession): Promise<Pick<Sample, "heapBytes" | "nodes">> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return { heapBytes: metric("JSHeapUsedSize"), nodes: metric("Nodes") };
}

/** The last quarter beside the first. */
function growthOf(values: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(values.length / 4));
  return rounded(percentile(values.slice(-quarter), 0.5) / percentile(values.slice(0, quarter), 0.5), 2);
}

/** What the page counted is what was sent. */
async function checkCount(page: Page, sent: number): Promise<void> {
  const counted = async () => {
    const text = (await page.locator(".live-count").textContent()) ?? "";
    return Number(/^[\d,]+/.exec(text)?.[0].replaceAll(",", ""));
  };
  let last = Number.NaN;
  await until("the page to count all events", DRAIN_MS, async () => {
    last = await counted();
    return last >= sent;
  }).catch(() => {});
  if (last !== sent) throw new Error(`the page counted ${last} events, ${sent} were sent`);
}

/** What a poll takes of what is stored by then: by commits, nothing new; and by the time of acceptance, as a list can be asked. */
async function polls(weir: Weir): Promise<object> {
  const { cursor } = (await (await weir.api("/events/live/?limit=1")).json()) as { cursor: string };
  const where = encodeURIComponent(`created_at > toDateTime64('${new Date(Date.now() - 2_000).toISOString()}', 3)`);
  const list = `/events/?select=${encodeURIComponent('["uuid","event","created_at"]')}&after=all&where=${where}&orderBy=created_at%20DESC`;
  const time = async (path: string) => {
    const timesMs: number[] = [];
    for (let poll = 0; poll < POLLS; poll++) {
      const begun = performance.now();
      const response = await weir.api(path);
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      await response.arrayBuffer();
      timesMs.push(performance.now() - begun);
    }
    return summaryOf(timesMs);
  };
  return { byCommits: await time(`/events/live/?since=${cursor}`), byTime: await time(list) };
}
