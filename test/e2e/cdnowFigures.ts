import { expect } from "bun:test";
import { CDNOW_FACTS, cdnowEvents, chunked } from "../support/cdnow.ts";
import type { IngestionStatus, Weir } from "../support/weir.ts";

const BATCH_EVENTS = 1_000;
const CONNECTIONS = 4;

export const CDNOW_BATCHES = chunked(cdnowEvents(), BATCH_EVENTS);

/** Sends the purchases as a client with several connections, retrying what fails. */
export async function importCdnow(weir: Weir): Promise<void> {
  let next = 0;
  const connection = async () => {
    for (let i = next++; i < CDNOW_BATCHES.length; i = next++) {
      await weir.deliver(CDNOW_BATCHES[i]!, { historical: true });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

/** Every figure that the data is known to have. */
export async function expectCdnowFigures(weir: Weir): Promise<void> {
  const { results } = await weir.query(
    `SELECT count(), count(DISTINCT person_id), sum(toFloat(properties.amount)), sum(toInt(properties.quantity)),
       count(DISTINCT uuid), count(DISTINCT distinct_id)
     FROM events WHERE event = 'purchase'`,
  );
  const [events, persons, amount, quantity, uuids, distinctIds] = results[0]!.map(Number);
  expect({ events, persons, quantity, uuids, distinctIds, amount: Math.round(amount! * 100) / 100 }).toEqual({
    events: CDNOW_FACTS.events,
    persons: CDNOW_FACTS.persons,
    quantity: CDNOW_FACTS.quantity,
    uuids: CDNOW_FACTS.events,
    distinctIds: CDNOW_FACTS.persons,
    amount: CDNOW_FACTS.amount,
  });
  const series = await weir.trends({
    series: [{ kind: "EventsNode", event: "purchase", math: "total" }],
    interval: "month",
    dateRange: { date_from: "2021-01-01", date_to: "2022-06-30" },
  });
  expect(series.map((one) => one.data)).toEqual([[...CDNOW_FACTS.monthly]]);
}

/** What every answer about the queue must satisfy: nothing accepted is without a place. */
export function expectReconciled(
  status: Pick<IngestionStatus, "accepted" | "queued" | "stored" | "duplicates" | "dropped" | "dead_letters">,
): void {
  const { accepted, queued, stored, duplicates, dropped, dead_letters } = status;
  expect(accepted).toBe(queued + stored + duplicates + dropped + dead_letters);
}
