import { type Environment, setDemoUntil } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";
import { describeError, TerminalError } from "../../types/mod.ts";
import { BUSY_FOR_MS } from "./project.ts";
import { type DemoEvent, tellStory } from "./story.ts";

const BATCH_EVENTS = 1000;
/** Sent again after a failure, with the same uuids: nothing is stored twice. */
const ATTEMPTS = 10;
const RETRY_PAUSE_MS = 500;
const REQUEST_TIMEOUT_MS = BUSY_FOR_MS / 2;

export interface DemoWish {
  people: number;
  days: number;
  /** The same seed makes the same people. */
  seed: number;
  /** Of the front that takes the events. */
  url: string;
}

/** What is made where nobody says how much. */
export const DEMO_SIZE = { people: 1500, days: 120, seed: 1 };

/**
 * Sends the events of a demo project to the running Weir like any others; until the end the project is one that is being made.
 * Gives their number. Throws TerminalError `unreachable`.
 */
export async function sendDemo({ url, ...wish }: DemoWish, environment: Environment, db: Db): Promise<number> {
  const { id, apiToken } = environment;
  const setUntil = (untilMs: number) => db.write((tx) => setDemoUntil(tx, id, untilMs));
  try {
    const events = tellStory({ ...wish, nowMs: Date.now() });
    for (let i = 0; i < events.length; i += BATCH_EVENTS) {
      await setUntil(Date.now() + BUSY_FOR_MS);
      await send(url, apiToken, events.slice(i, i + BATCH_EVENTS));
    }
    return events.length;
  } finally {
    await setUntil(0);
  }
}

/** As a migration: in order, and never in the way of live events. */
async function send(url: string, token: string, events: readonly DemoEvent[]): Promise<void> {
  const batch = events.map((event) => ({ ...event, uuid: crypto.randomUUID() }));
  const body = JSON.stringify({ api_key: token, historical_migration: true, batch });
  for (let attempt = 1; ; attempt++) {
    const problem = await fetch(`${url}/batch/`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).then(async (response) => {
      const text = await response.text();
      return response.ok ? null : `${response.status} ${text}`;
    }, describeError);
    if (problem === null) return;
    if (attempt === ATTEMPTS) throw new TerminalError("unreachable", `Events were not taken by ${url}: ${problem}`);
    await Bun.sleep(RETRY_PAUSE_MS);
  }
}
