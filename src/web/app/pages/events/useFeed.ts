import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../api/client.ts";
import { pause } from "../../api/pause.ts";
import { arrived, begun, type Feed, KEPT, NO_FEED, resumed } from "./feed.ts";
import { type ListedEvent, loadLive } from "./listed.ts";
import type { Shown } from "./shown.ts";

/** How the page is with Weir. */
export type Line =
  | { is: "loading" | "open" }
  /** No answer came; it is tried again. */
  | { is: "lost"; error: unknown }
  /** What is asked is refused: trying again would not help. */
  | { is: "refused"; error: unknown };

/** The page was cut off for too long. */
export interface Cut {
  missed: number;
  /** The last time at which all was there. */
  fromMs: number;
}

export interface Live {
  feed: Feed<ListedEvent>;
  line: Line;
  cut: Cut | null;
  forgetCut(): void;
  again(): void;
}

/** After each answer. */
const EVERY_MS = 500;
/** What waits is only counted. */
const PAUSED_EVERY_MS = 2_000;
/** Browsers wake a tab that is out of sight once a minute; the server keeps a minute and a half. */
const HIDDEN_EVERY_MS = 10_000;
const FAILED_FIRST_MS = 1_000;
const FAILED_LAST_MS = 10_000;

/** What comes in, asked for again and again while the page is open. `isPaused`: it waits above the list. */
export function useFeed(projectId: number, shown: Shown, isPaused: boolean): Live {
  const [feed, setFeed] = useState<Feed<ListedEvent>>(NO_FEED);
  const [line, setLine] = useState<Line>({ is: "loading" });
  const [cut, setCut] = useState<Cut | null>(null);
  const [round, setRound] = useState(0);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    const end = new AbortController();
    setFeed(NO_FEED);
    setLine({ is: "loading" });
    setCut(null);
    const told: Told = {
      isPaused: () => paused.current,
      line: (next) => setLine((was) => (was.is === "open" && next.is === "open" ? was : next)),
      feed: (change) => setFeed((was) => change(was, { isPaused: paused.current })),
      cut: (more) => setCut((was) => (was === null ? more : { missed: was.missed + more.missed, fromMs: was.fromMs })),
    };
    follow(projectId, shown, told, end.signal).catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
    });
    return () => end.abort();
  }, [projectId, JSON.stringify(shown), round]);
  useEffect(() => {
    if (!isPaused) setFeed(resumed);
  }, [isPaused]);
  return { feed, line, cut, forgetCut: () => setCut(null), again: () => setRound(round + 1) };
}

interface Told {
  isPaused(): boolean;
  line(line: Line): void;
  feed(change: (feed: Feed<ListedEvent>, o: { isPaused: boolean }) => Feed<ListedEvent>): void;
  cut(cut: Cut): void;
}

async function follow(projectId: number, shown: Shown, told: Told, signal: AbortSignal): Promise<void> {
  let since: string | null = null;
  let failures = 0;
  let wholeMs = Date.now();
  while (!signal.aborted) {
    try {
      const askedMs = Date.now();
      const answer = await loadLive(projectId, shown, { since, limit: KEPT }, signal);
      if (answer.missed > 0) {
        told.cut({ missed: answer.missed, fromMs: wholeMs });
        since = null;
        continue;
      }
      const { events: rows, count, cursor } = answer;
      const isFirst = since === null;
      told.feed((feed, o) => (isFirst ? begun(feed, rows, o) : arrived(feed, { rows, count }, o)));
      told.line({ is: "open" });
      since = cursor;
      wholeMs = askedMs;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) return told.line({ is: "refused", error });
      told.line({ is: "lost", error });
      failures++;
    }
    await rest(failures === 0 ? restMs(told.isPaused()) : failedMs(failures), signal);
  }
}

/** A request that came too often, or too slowly, may be sent again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status);

const failedMs = (failures: number): number => Math.min(FAILED_FIRST_MS * 2 ** (failures - 1), FAILED_LAST_MS);

function restMs(isPaused: boolean): number {
  if (document.visibilityState === "hidden") return HIDDEN_EVERY_MS;
  return isPaused ? PAUSED_EVERY_MS : EVERY_MS;
}

/** Waits; not longer than until the tab comes in sight, or the network is there again. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  const woken = new AbortController();
  const wake = () => document.visibilityState === "visible" && woken.abort();
  document.addEventListener("visibilitychange", wake, { signal: woken.signal });
  window.addEventListener("online", wake, { signal: woken.signal });
  await pause(ms, AbortSignal.any([signal, woken.signal])).catch(() => {});
  woken.abort();
}
