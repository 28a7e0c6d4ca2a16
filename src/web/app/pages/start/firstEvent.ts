import { useEffect, useState } from "preact/hooks";
import { type Answer, call } from "../../api/client.ts";
import { pause } from "../../api/pause.ts";

type EventsAnswer = Answer<"GET /api/environments/{project_id}/events/">;
export type SeenEvent = Extract<EventsAnswer["results"][number], { distinct_id: string }>;

const EVERY_MS = 500;
const AFTER_FAILURE_MS = 3_000;
const DAY_MS = 86_400_000;
/** Events of today are found at once; every so often older ones are looked for, which takes longer. */
const OLDER_EVERY = 5;

/** The newest event of a project, looked for until there is one, while the page is in sight. `isLost`: Weir does not answer. */
export function useFirstEvent(projectId: number): { event: SeenEvent | null; isLost: boolean } {
  const [event, setEvent] = useState<SeenEvent | null>(null);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const end = new AbortController();
    setEvent(null);
    look(projectId, end.signal, { found: setEvent, lost: setLost }).catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
    });
    return () => end.abort();
  }, [projectId]);
  return { event, isLost };
}

interface Told {
  found(event: SeenEvent): void;
  lost(isLost: boolean): void;
}

async function look(projectId: number, signal: AbortSignal, { found, lost }: Told): Promise<void> {
  const params = { project_id: String(projectId) };
  for (let round = 1; !signal.aborted; round++) {
    const after = round % OLDER_EVERY === 0 ? undefined : new Date(Date.now() - DAY_MS).toISOString();
    let pauseMs = EVERY_MS;
    try {
      const { results } = await call("GET /api/environments/{project_id}/events/", {
        params,
        query: { limit: 1, after },
        signal,
      });
      lost(false);
      const [event] = results as readonly SeenEvent[];
      if (event !== undefined) return found(event);
    } catch {
      if (signal.aborted) return;
      lost(true);
      pauseMs = AFTER_FAILURE_MS;
    }
    await pause(pauseMs, signal);
    await inSight(signal);
  }
}

/** Waits while the tab is not shown. */
function inSight(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === "visible") return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
