import { expect } from "bun:test";
import { catalogOf } from "../../support/catalogOf.ts";
import type { Weir } from "../../support/weir.ts";
import { expectReconciled } from "../cdnowFigures.ts";
import type { Ledger } from "./ledger.ts";

const PAUSE_MS = 100;

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
