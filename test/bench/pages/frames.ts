import type { Page } from "playwright-core";
import { percentile, rounded } from "../report.ts";

/** One frame of a page while something in it is scrolled. */
export interface Frame {
  /** From the frame before it. */
  ms: number;
  /** What the page's main thread did for it: script, styles, layout, paint and the collection of garbage. */
  cpuMs: number;
  /** What all threads of the browser did: those that draw without a graphics card, too. */
  browserCpuMs: number;
  /** For so long tasks of the main thread were begun and waited: for a core, or for other threads of the browser. */
  waitedMs: number;
}

const FRAMES = 180;
const FRAME_MS = 1_000 / 60;
/** At least one frame was left out before it. */
const LATE_MS = 1.5 * FRAME_MS;
/** Of threads with a loop, and of the pool that paints. */
const TASKS: ReadonlySet<string> = new Set(["RunTask", "RasterTask"]);
const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"];

/** Down and up again, a quarter of what is in sight from frame to frame, and then back to the top. */
const scroll = (selector: string) => `new Promise((done) => {
  const box = document.querySelector(${JSON.stringify(selector)});
  let step = box.clientHeight / 4;
  let count = 0;
  const frame = () => {
    if (count++ === ${FRAMES}) {
      box.scrollTop = 0;
      return done();
    }
    if (count === ${FRAMES / 2}) step = -step;
    box.scrollTop += step;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

/** An event of the browser's trace; microseconds. */
interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** Of the processor. */
  tdur?: number;
}

/** Scrolls an element and reads from the browser's trace what each frame took, and what for. */
export async function scrolledFrames(page: Page, selector: string): Promise<Frame[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]));
  const complete = Promise.withResolvers<void>();
  session.on("Tracing.dataCollected", collect);
  session.once("Tracing.tracingComplete", () => complete.resolve());
  const traceConfig = { includedCategories: CATEGORIES, excludedCategories: ["*"] };
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  await page.evaluate(scroll(selector));
  await session.send("Tracing.end");
  await complete.promise;
  await session.detach();
  return framesOf(events);
}

function framesOf(events: readonly TraceEvent[]): Frame[] {
  const callbacks = events.filter(({ name }) => name === "FireAnimationFrame").toSorted((a, b) => a.ts - b.ts);
  const [first] = callbacks;
  if (first === undefined) throw new Error("the trace has no frame");
  const all = events.filter(({ name, ph }) => ph === "X" && TASKS.has(name));
  const isMain = ({ name, pid, tid }: TraceEvent) => name === "RunTask" && pid === first.pid && tid === first.tid;
  const tasks = all.filter(isMain).toSorted((a, b) => a.ts - b.ts);
  // A frame begins with the task in which its callbacks run: that of the scrolling, and those of the page.
  const starts = [...new Set(callbacks.map(({ ts }) => tasks.findLast((task) => task.ts <= ts)?.ts ?? ts))];
  return starts.slice(1).map((endTs, index) => {
    const startTs = starts[index]!;
    const isWithin = ({ ts }: TraceEvent) => ts >= startTs && ts < endTs;
    const own = tasks.filter(isWithin);
    const cpuMs = sumMs(own, "tdur");
    return {
      ms: (endTs - startTs) / 1_000,
      ...{ cpuMs, browserCpuMs: sumMs(all.filter(isWithin), "tdur") },
      waitedMs: Math.max(0, sumMs(own, "dur") - cpuMs),
    };
  });
}

const sumMs = (tasks: readonly TraceEvent[], name: "dur" | "tdur"): number =>
  tasks.reduce((total, task) => total + (task[name] ?? 0), 0) / 1_000;

export interface FramesSummary {
  frames: number;
  p50Ms: number;
  p95Ms: number;
  late: { frames: number; ofThePage: number };
  mainThread: { cpuP50Ms: number; cpuP95Ms: number; waitedP95Ms: number };
  browserCpuP50Ms: number;
}

/** A frame is late through the page where its main thread worked for longer than a frame lasts. */
export function framesSummary(frames: readonly Frame[]): FramesSummary {
  const at = (share: number, of: (frame: Frame) => number) => rounded(percentile(frames.map(of), share));
  const late = frames.filter(({ ms }) => ms > LATE_MS);
  return {
    frames: frames.length,
    p50Ms: at(0.5, ({ ms }) => ms),
    p95Ms: at(0.95, ({ ms }) => ms),
    late: { frames: late.length, ofThePage: late.filter(({ cpuMs }) => cpuMs > FRAME_MS).length },
    mainThread: {
      cpuP50Ms: at(0.5, ({ cpuMs }) => cpuMs),
      cpuP95Ms: at(0.95, ({ cpuMs }) => cpuMs),
      waitedP95Ms: at(0.95, ({ waitedMs }) => waitedMs),
    },
    browserCpuP50Ms: at(0.5, ({ browserCpuMs }) => browserCpuMs),
  };
}
