import { expect } from "bun:test";
import { join } from "node:path";
import { personIdOf } from "../../../src/types/mod.ts";
import { catalogOf } from "../../support/catalogOf.ts";
import { readRows, type StoredEvent } from "../../support/storedRows.ts";
import type { Weir } from "../../support/weir.ts";
import { expectReconciled } from "../cdnowFigures.ts";
import type { Ledger } from "./ledger.ts";
import type { People } from "./people.ts";

/** Above what a run makes; a query without a limit has a small one. */
const ALL = 50_000;

/**
 * What is stored in the end is what was accepted, nothing twice, and each id's events in the order of sending. `segments` gives the folder of
 * the files.
 */
export async function expectStoredOnce(
  weir: Weir,
  ledger: Ledger,
  { generation = 1, segments = () => join(weir.dataDir, "lake") } = {},
): Promise<void> {
  const status = await weir.waitStored();
  const rows = await storedRows(weir, generation, segments);
  const stored = new Set(rows.map((row) => row.uuid));
  expect(rows.length).toBe(stored.size);
  expect([...ledger.accepted.keys()].filter((uuid) => !stored.has(uuid))).toEqual([]);
  expect([...stored].filter((uuid) => !ledger.accepted.has(uuid) && !ledger.unanswered.has(uuid))).toEqual([]);

  expectReconciled(status);
  expect(status).toMatchObject({ queued: 0, stored: stored.size, dropped: 0, dead_letters: 0 });
  expect(status.accepted).toBeGreaterThanOrEqual(ledger.answeredEvents);
  expect(status.accepted).toBeLessThanOrEqual(ledger.triedEvents);
  expect(await weir.number("SELECT count() FROM events")).toBe(stored.size);
  expect(await weir.number("SELECT count(DISTINCT uuid) FROM events")).toBe(stored.size);
  expectInOrder(rows);
}

function expectInOrder(rows: readonly StoredEvent[]): void {
  for (const [key, ofId] of Map.groupBy(rows, (row) => `${row.lane} ${row.distinctId}`)) {
    const serials = ofId.map((row) => row.serial);
    expect({ key, serials }).toEqual({ key, serials: serials.toSorted((a, b) => a - b) });
  }
}

/** By the order of acceptance within a lane. */
async function storedRows(weir: Weir, generation: number, segments: () => string): Promise<StoredEvent[]> {
  await using records = await catalogOf(weir);
  // A broker that is killed keeps what it had acknowledged: there is no reason to begin anew.
  expect(await records.catalog.currentGeneration()).toMatchObject({ generation });
  return await readRows(records.catalog, segments, weir.environmentId);
}

/** Who is who, and what is known of each, is what the model says. */
export async function expectPeople(weir: Weir, people: People): Promise<void> {
  const personId = (distinctId: string) => personIdOf(weir.environmentId, people.of(distinctId).id);
  const { results: pairs } = await weir.query(`SELECT DISTINCT distinct_id, person_id FROM events LIMIT ${ALL}`);
  const known = new Set(people.distinctIds);
  const ids = pairs.map(([id, person]) => [String(id), String(person)] as const).filter(([id]) => known.has(id));
  expect(ids.length).toBeGreaterThan(0);
  expect(new Map(ids)).toEqual(new Map(ids.map(([id]) => [id, personId(id)])));

  const { results } = await weir.query(`SELECT id, is_identified, properties FROM persons LIMIT ${ALL}`);
  const stored = new Map(results.map(([id, ...facts]) => [String(id), facts]));
  for (const distinctId of people.distinctIds) {
    const { isIdentified, properties } = people.of(distinctId);
    const [storedIdentified, storedProperties] = stored.get(personId(distinctId)) ?? [];
    expect({ distinctId, isIdentified: storedIdentified, properties: ownOf(storedProperties) }).toEqual({
      distinctId,
      isIdentified,
      properties: Object.fromEntries(properties),
    });
  }
  const { results: groups } = await weir.query("SELECT key, properties FROM groups WHERE index = 0");
  expect(new Map(groups.map(([key, properties]) => [String(key), ownOf(properties).last]))).toEqual(people.groups);
}

/** Without what Weir adds by itself. */
function ownOf(properties: unknown): Record<string, unknown> {
  const all = (typeof properties === "string" ? JSON.parse(properties) : properties) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(all ?? {}).filter(([key]) => !key.startsWith("$")));
}
