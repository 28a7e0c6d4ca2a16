import { expect } from "bun:test";
import { weirOn } from "../../commands/weirProcess.ts";
import { catalogOf } from "../../support/catalogOf.ts";
import type { IngestionStatus, Weir } from "../../support/weir.ts";
import { expectReconciled } from "../cdnowFigures.ts";
import type { Ledger } from "./ledger.ts";

const PAUSE_MS = 100;
/** A command is a process of its own. */
const FACES_PAUSE_MS = 2_000;

/** Asks where the events are again and again; gives how often there was an answer. Each must add up. */
export async function watchStatus(weir: Weir, ledger: Ledger, isOver: () => boolean): Promise<number> {
  const last = { accepted: 0, stored: 0, duplicates: 0 };
  let answers = 0;
  while (!isOver()) {
    const { answeredEvents } = ledger;
    const status = await weir.ingestionStatus().catch(() => null);
    if (status !== null) {
      answers++;
      expectReconciled(status);
      expect(status.dropped_by_cause).toEqual({});
      if (status.dead_letters > 0) throw new Error(`set aside: ${await deadLetters(weir)}`);
      // What was answered before the question is in the answer, and what was there once stays.
      expect(status.accepted).toBeGreaterThanOrEqual(Math.max(answeredEvents, last.accepted));
      expect(status.stored).toBeGreaterThanOrEqual(last.stored);
      expect(status.duplicates).toBeGreaterThanOrEqual(last.duplicates);
      Object.assign(last, status);
    }
    await Bun.sleep(PAUSE_MS);
  }
  return answers;
}

/**
 * Asks all that tell where the events are, again and again: `ingestion_status` and `installation/status`, of which the page Health is made,
 * and `weir status`. Each adds up, and stands between what `ingestion_status` says before and after. Gives how often there was an answer of all,
 * and how often nothing had changed around it, so that all were the same.
 */
export async function watchFaces(weir: Weir, isOver: () => boolean): Promise<{ compared: number; equal: number }> {
  const seen = { compared: 0, equal: 0 };
  while (!isOver()) {
    const own = () => weir.ingestionStatus().catch(() => null);
    const asked = [await own(), await installation(weir), await printed(weir), await own()];
    const answers = asked.filter((answer) => answer !== null).map(countsOf);
    const [before, ...rest] = answers;
    if (before !== undefined && answers.length === asked.length) {
      seen.compared++;
      const after = rest.at(-1)!;
      for (const face of answers) {
        expectReconciled(face);
        for (const name of GROWING) {
          expect(face[name]).toBeGreaterThanOrEqual(before[name]);
          expect(face[name]).toBeLessThanOrEqual(after[name]);
        }
      }
      if (Bun.deepEquals(before, after)) {
        seen.equal++;
        for (const face of rest) expect(face).toEqual(before);
      }
    }
    await Bun.sleep(FACES_PAUSE_MS);
  }
  return seen;
}

/** The counts of all projects, of which there is one. */
async function installation(weir: Weir): Promise<IngestionStatus | null> {
  const reply = await weir.manage("GET", "/api/installation/status/").catch(() => null);
  return reply?.status === 200 ? (reply.json as { events: IngestionStatus | null }).events : null;
}

async function printed(weir: Weir): Promise<IngestionStatus | null> {
  const { out, code } = await weirOn(weir.dataDir, ["status", "--json"]);
  return code === 0 ? (JSON.parse(out) as { events: IngestionStatus | null }).events : null;
}

/** What never becomes less. */
const GROWING = ["accepted", "stored", "duplicates", "dropped"] as const;

const countsOf = ({ accepted, queued, stored, duplicates, dropped, dead_letters }: IngestionStatus) => ({
  ...{ accepted, queued, stored, duplicates, dropped, dead_letters },
});

async function deadLetters(weir: Weir): Promise<string> {
  await using records = await catalogOf(weir);
  return JSON.stringify(await records.db.read((tx) => tx`select lane, reason, detail, event from dead_letters`));
}

/** Asks a query again and again; gives how often there was an answer. None counts an event twice or loses one again. */
export async function watchQueries(weir: Weir, isOver: () => boolean): Promise<number> {
  let highest = 0;
  let answers = 0;
  while (!isOver()) {
    const result = await weir.query("SELECT count(), count(DISTINCT uuid) FROM events").catch(() => null);
    if (result !== null) {
      answers++;
      const [count, uuids] = result.results[0]!.map(Number) as [number, number];
      expect(uuids).toBe(count);
      expect(count).toBeGreaterThanOrEqual(highest);
      highest = count;
    }
    await Bun.sleep(PAUSE_MS);
  }
  return answers;
}
