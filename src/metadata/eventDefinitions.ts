import { randomUUID } from "node:crypto";
import type { Stored, Tx } from "./db.ts";
import {
  type DefinitionText,
  type DefinitionTextRow,
  definitionText,
  definitionTextColumns,
  insertDefinition,
  newDefinitionText,
} from "./definitionText.ts";
import { type ListPage, numberOrNull, searchCondition, selectPage } from "./listing.ts";

/** What is known and said of events of a name. */
export interface EventDefinition extends DefinitionText {
  id: string;
  teamId: number;
  name: string;
  createdAtMs: number;
  /** When such an event last arrived, to the hour; null for one that never did. */
  lastSeenAtMs: number | null;
}

interface EventRow extends DefinitionTextRow {
  id: string;
  team_id: Stored;
  name: string;
  created_at_ms: Stored;
  last_seen_at_ms: Stored | null;
}

const fromRow = (row: EventRow): EventDefinition => ({
  id: row.id,
  teamId: Number(row.team_id),
  name: row.name,
  createdAtMs: Number(row.created_at_ms),
  lastSeenAtMs: numberOrNull(row.last_seen_at_ms),
  ...definitionText(row),
});

const toRow = (teamId: number, definition: Omit<EventDefinition, "id" | "teamId">) => ({
  id: randomUUID(),
  team_id: teamId,
  name: definition.name,
  created_at_ms: definition.createdAtMs,
  last_seen_at_ms: definition.lastSeenAtMs,
  ...definitionTextColumns(definition),
});

/** A new definition by somebody's hand; null where there is one already. */
export async function createEventDefinition(
  tx: Tx,
  teamId: number,
  definition: Omit<EventDefinition, "id" | "teamId">,
): Promise<EventDefinition | null> {
  const row = await insertDefinition<EventRow>(tx, "event_definitions", toRow(teamId, definition));
  return row === null ? null : fromRow(row);
}

/** Saves what a client may change. */
export async function updateEventDefinition(tx: Tx, definition: EventDefinition): Promise<void> {
  await tx`update event_definitions set ${tx(definitionTextColumns(definition))} where id = ${definition.id}`;
}

export async function findEventDefinition(
  tx: Tx,
  teamId: number,
  ref: { id: string } | { name: string },
): Promise<EventDefinition | null> {
  const isIt = "id" in ref ? tx`id = ${ref.id}` : tx`name = ${ref.name}`;
  const rows: EventRow[] = await tx`select * from event_definitions where team_id = ${teamId} and ${isIt}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** Every condition but the first is optional; all given ones must hold. */
export interface EventDefinitionFilter {
  teamId: number;
  withHidden?: boolean;
  /** Part of name, description or a tag, in any case. */
  search?: string;
}

/** One page, and how many there are. */
export async function listEventDefinitions(
  tx: Tx,
  filter: EventDefinitionFilter,
  page: ListPage,
): Promise<{ count: number; definitions: EventDefinition[] }> {
  const where = tx`team_id = ${filter.teamId}
    ${filter.withHidden ? tx`` : tx`and hidden = 0`}
    ${filter.search === undefined ? tx`` : tx`and ${searchCondition(tx, filter.search)}`}`;
  const { count, rows } = await selectPage<EventRow>(tx, "event_definitions", where, page);
  return { count, definitions: rows.map(fromRow) };
}

/** Notes events that arrived at `nowMs`. Beyond `max` definitions no new ones are made. */
export async function noteEvents(
  tx: Tx,
  teamId: number,
  names: readonly string[],
  o: { nowMs: number; max: number },
): Promise<void> {
  if (names.length === 0) return;
  const known: { name: string }[] = await tx`update event_definitions set last_seen_at_ms = ${o.nowMs}
    where team_id = ${teamId} and name in ${tx([...names])} returning name`;
  const total: { n: Stored }[] = await tx`select count(*) as n from event_definitions where team_id = ${teamId}`;
  const room = Math.max(0, o.max - Number(total[0]!.n));
  const present = new Set(known.map(({ name }) => name));
  for (const name of names.filter((name) => !present.has(name)).slice(0, room)) {
    const definition = { name, createdAtMs: o.nowMs, lastSeenAtMs: o.nowMs, ...newDefinitionText(o.nowMs) };
    await insertDefinition(tx, "event_definitions", toRow(teamId, definition));
  }
}
