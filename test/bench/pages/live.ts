import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { startChromium } from "../../support/chromium.ts";
import { until } from "../../support/processes.ts";
import { type Role, startWeir, type Weir } from "../../support/weir.ts";
import { percentile, rounded, summaryOf, usageOf } from "../report.ts";
import type { PacedResult } from "./pacedLoad.ts";
import { logIn } from "./scene.ts";

export interface LiveOptions {
  seconds: number;
  eventsPerSecond: number;
}

const WINDOW = { width: 1440, height: 1000 };
const PAGE = "/project/1/events";
const ROLES: Role[] = ["front", "api", "worker-0", "query-0", "query-1", "nats-server"];
/** Looks at memory and frames, over the whole time. */
const SAMPLES = 15;
const SCROLL_FRAMES = 180;
const FRAME_MS = 1_000 / 60;
const LIMITS = { scrollP95Ms: 20, growth: 1.2 };
const DRAIN_MS = 120_000;
const POLLS = 20;

/** The page of events beside a steady load: memory, frames while one scrolls, how old an event is when it is painted, and what it costs. */
export async function benchLive({ seconds, eventsPerSecond }: LiveOptions): Promise<object> {
  await using weir = await startWeir();
  await using context = await startChromium();
  await logIn(weir, context);
  const load = { eventsPerSecond, seconds };
  // The same without a reader.
  const alone = await underLoad(weir, { ...load, seconds: Math.ceil(seconds / 5) }, () => Promise.resolve(null));
  await drained(weir);
  const page = await openLive(context, weir);
  const beside = await underLoad(weir, load, () => watch(page, context, seconds));
  await drained(weir);
  await checkCount(page, beside.sent);
  const delays = await page.evaluate<number[]>("globalThis.delaysMs");
  const scrolled = summaryOf(beside.seen.flatMap(({ scrollMs }) => scrollMs));
  const memory = beside.seen.map(({ scrollMs: _, ...rest }) => rest);
  const grown = growthOf(memory.map(({ heapBytes }) => heapBytes));
  await page.close();
  return {
    bench: "live",
    ...load,
    sent: beside.sent,
    memory: { samples: memory, growth: grown, limit: LIMITS.growth, isMet: grown <= LIMITS.growth },
    scroll: {
      ...{ p50Ms: scrolled.p50Ms, p95Ms: scrolled.p95Ms, frames: scrolled.timesMs.length },
      lateFrames: scrolled.timesMs.filter((ms) => ms > 2 * FRAME_MS).length,
      ...{ limit: LIMITS.scrollP95Ms, isMet: scrolled.p95Ms <= LIMITS.scrollP95Ms },
    },
    paintedAfter: { ...summaryOf(delays), updates: delays.length },
    cpuUsPerEvent: { alone: alone.cpuUsPerEvent, beside: beside.cpuUsPerEvent },
    polls: await polls(weir),
  };
}

/** Sends, while `body` looks. */
async function underLoad<T>(weir: Weir, { eventsPerSecond, seconds }: LiveOptions, body: () => Promise<T>) {
  const script = new URL("./pacedLoad.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, eventsPerSecond, seconds].map(String);
  const used = () => ROLES.map((role) => (weir.isRunning(role) ? usageOf(weir.pidOf(role)).cpuMs : 0));
  const before = used();
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: "pipe", stderr: "inherit" });
  const seen = await body();
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the load failed");
  const result = JSON.parse(output) as PacedResult;
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
  scrollMs: number[];
}

/** Looks now and then, for as long as the load lasts. */
async function watch(page: Page, context: BrowserContext, seconds: number): Promise<Sample[]> {
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const beganMs = performance.now();
  const samples: Sample[] = [];
  for (let sample = 1; sample <= SAMPLES; sample++) {
    // The first load is over before the first look.
    const waitMs = beganMs + (sample * seconds * 1_000) / (SAMPLES + 1) - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    const scrollMs = await page.evaluate<number[]>(SCROLL);
    samples.push({
      atS: Math.round((performance.now() - beganMs) / 1_000),
      ...(await memoryOf(session)),
      scrollMs,
    });
  }
  await session.detach();
  return samples;
}

/** Down and up again, a quarter of what is in sight from frame to frame; then the list goes on. */
const SCROLL = `new Promise((done) => {
  const box = document.querySelector(".event-list");
  const times = [];
  let last = performance.now();
  let step = box.clientHeight / 4;
  const frame = (now) => {
    times.push(now - last);
    last = now;
    if (times.length > ${SCROLL_FRAMES}) {
      box.scrollTop = 0;
      return done(times.slice(1));
    }
    if (times.length === ${SCROLL_FRAMES / 2}) step = -step;
    box.scrollTop += step;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

/** Not of the whole process: there the driver of the browser keeps the answers that came. */
async function memoryOf(session: CDPSession): Promise<Omit<Sample, "atS" | "scrollMs">> {
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
