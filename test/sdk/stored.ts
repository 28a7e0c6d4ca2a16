import { expect } from "bun:test";
import type { Weir } from "../support/weir.ts";
import { decodeBatch, type Exchange, type SentBatch, type SentEvent } from "../support/wire.ts";

export interface StoredEvent {
  uuid: string;
  event: string;
  distinctId: string;
  timestampMs: number;
  properties: Record<string, unknown>;
  elementsChain: string;
}

/** Everything the project holds, by uuid. */
export async function storedEvents(weir: Weir): Promise<Map<string, StoredEvent>> {
  await weir.waitStored();
  const { results } = await weir.query(
    "SELECT uuid, event, distinct_id, timestamp, properties, elements_chain FROM events ORDER BY timestamp LIMIT 1000",
  );
  const events = (results as string[][]).map(([uuid, event, distinctId, timestamp, properties, elementsChain]) => ({
    uuid: uuid!,
    event: event!,
    distinctId: distinctId!,
    timestampMs: Date.parse(timestamp!),
    properties: typeof properties === "string" ? JSON.parse(properties) : (properties as never),
    elementsChain: elementsChain!,
  }));
  const byUuid = new Map(events.map((event) => [event.uuid, event]));
  expect(byUuid.size).toBe(events.length);
  return byUuid;
}

/** What Weir itself may add to an event's properties. */
const ADDED = new Set(["$ip", "$sent_at", "$set", "$set_once"]);
/** What it moves elsewhere: into a column of its own, or into the event's mode. */
const MOVED = new Set(["$elements", "$elements_chain", "$process_person_profile"]);
/** Rounding of client times to milliseconds, and the server's own clock reading between the tap's two. */
const CLOCK_MS = 5;

/** Every event of these requests is stored once, field by field as the SDK wrote it, and there is nothing else. */
export async function expectStoredAsSent(
  weir: Weir,
  exchanges: readonly Exchange[],
  batchOf: (exchange: Exchange) => SentBatch = decodeBatch,
): Promise<Map<string, StoredEvent>> {
  const stored = await storedEvents(weir);
  const sent = new Set<string>();
  for (const exchange of exchanges) {
    const batch = batchOf(exchange);
    for (const event of batch.batch) {
      const row = event.uuid === undefined ? withoutUuid(stored, sent, event) : stored.get(event.uuid);
      if (row === undefined) throw new Error(`${event.event} ${event.uuid} was sent and is not stored`);
      sent.add(row.uuid);
      expectSame(row, event, batch, exchange);
    }
  }
  expect([...stored.keys()].sort()).toEqual([...sent].sort());
  return stored;
}

/** The row of an event that got its uuid from the server: one of its name and sender that no other event has. */
function withoutUuid(stored: Map<string, StoredEvent>, taken: Set<string>, event: SentEvent): StoredEvent | undefined {
  const isIts = (row: StoredEvent) => row.event === event.event && row.distinctId === distinctIdOf(event);
  return [...stored.values()].find((row) => isIts(row) && !taken.has(row.uuid));
}

const distinctIdOf = (event: SentEvent): string => event.distinct_id ?? (event.properties.distinct_id as string);

function expectSame(row: StoredEvent, event: SentEvent, batch: SentBatch, exchange: Exchange): void {
  expect(row.event).toBe(event.event);
  expect(row.distinctId).toBe(distinctIdOf(event));
  expectTime(row, event, batch, exchange);

  for (const [key, value] of Object.entries(event.properties)) {
    if (MOVED.has(key) || key === "$set" || key === "$set_once") continue;
    expect({ [key]: row.properties[key] }).toEqual({ [key]: value });
  }
  for (const key of ["$set", "$set_once"] as const) {
    const own = { ...(event.properties[key] as object | undefined), ...event[key] };
    expect(row.properties[key] ?? {}).toEqual(own);
  }
  for (const key of Object.keys(row.properties)) {
    if (key in event.properties) continue;
    // The groups of `$groups`, by the numbers of their types.
    if (/^\$group_[0-4]$/.test(key)) expect(Object.values(event.properties.$groups!)).toContain(row.properties[key]);
    else expect(ADDED).toContain(key);
  }
  // Made by the server of what older browsers sent as a list.
  if (event.properties.$elements !== undefined) expect(row.elementsChain).not.toBe("");
  else expect(row.elementsChain).toBe((event.properties.$elements_chain as string | undefined) ?? "");
  expect(row.properties.$elements_chain).toBeUndefined();
}

function expectTime(row: StoredEvent, event: SentEvent, batch: SentBatch, exchange: Exchange): void {
  if (batch.sent_at === undefined) {
    expect(row.timestampMs).toBe(Date.parse(event.timestamp!));
    return;
  }
  // The server corrects the client's clock by `sent_at`, at a moment between the tap's two.
  const isTimed = event.timestamp !== undefined && event.offset === undefined;
  const clientMs = isTimed ? Date.parse(event.timestamp!) - Date.parse(batch.sent_at) : -(event.offset ?? 0);
  expect(row.timestampMs).toBeGreaterThanOrEqual(clientMs + exchange.startedAtMs - CLOCK_MS);
  expect(row.timestampMs).toBeLessThanOrEqual(clientMs + exchange.endedAtMs + CLOCK_MS);
}
