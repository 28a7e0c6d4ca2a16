import { randomUUID } from "node:crypto";
import { type Listed, type ListPage, numberOrNull, type Stored, Table, type Tx, wordsCondition } from "../store/mod.ts";
import { only } from "../types/mod.ts";
import {
  type DefinitionText,
  type DefinitionTextRow,
  definitionText,
  definitionTextColumns,
  isShown,
  newDefinitionText,
  type ShownFilter,
} from "./definitionText.ts";

/** The definition of events of one name. */
export interface EventDefinition extends DefinitionText {
  id: string;
  teamId: number;
  name: string;
  createdAtMs: number;
  /** When such an event last arrived, to the hour; null before the first. */
  lastSeenAtMs: number | null;
  /** Events of the last 30 days, and insights in use that name it; null where nobody has counted yet. */
  volume30Day: number | null;
  queryUsage30Day: number | null;
}

/** Columns that a list can be ordered by. */
export const EVENT_DEFINITION_ORDERS = {
  name: "name",
  created_at: "created_at_ms",
  last_seen_at: "last_seen_at_ms",
  volume_30_day: "volume_30_day",
  query_usage_30_day: "query_usage_30_day",
} as const;

interface EventRow extends DefinitionTextRow {
  id: string;
  team_id: Stored;
  name: string;
  created_at_ms: Stored;
  last_seen_at_ms: Stored | null;
  volume_30_day: Stored | null;
  query_usage_30_day: Stored | null;
}

const TABLE = new Table<EventRow, EventDefinition>("event_definitions", (row) => ({
  id: row.id,
  teamId: Number(row.team_id),
  name: row.name,
  createdAtMs: Number(row.created_at_ms),
  lastSeenAtMs: numberOrNull(row.last_seen_at_ms),
  volume30Day: numberOrNull(row.volume_30_day),
  queryUsage30Day: numberOrNull(row.query_usage_30_day),
  ...definitionText(row),
}));

/** One that nobody has counted yet. */
type NewEventDefinition = Omit<EventDefinition, "id" | "teamId" | "volume30Day" | "queryUsage30Day">;

const toRow = (teamId: number, definition: NewEventDefinition) => ({
  id: randomUUID(),
  team_id: teamId,
  name: definition.name,
  created_at_ms: definition.createdAtMs,
  last_seen_at_ms: definition.lastSeenAtMs,
  ...definitionTextColumns(definition),
});

/** Makes the definition that a user asks for; null where there is one already. */
export function createEventDefinition(
  tx: Tx,
  teamId: number,
  definition: NewEventDefinition,
): Promise<EventDefinition | null> {
  return TABLE.insertNew(tx, toRow(teamId, definition));
}

/** Saves what a client may change. */
export function updateEventDefinition(tx: Tx, definition: EventDefinition): Promise<void> {
  return TABLE.update(tx, definition.id, definitionTextColumns(definition));
}

/** One that arrives later is made anew. */
export async function removeEventDefinition(tx: Tx, { id }: EventDefinition): Promise<void> {
  await tx`delete from event_definitions where id = ${id}`;
}

export function findEventDefinition(
  tx: Tx,
  teamId: number,
  ref: { id: string } | { name: string },
): Promise<EventDefinition | null> {
  return TABLE.find(tx, teamId, "id" in ref ? tx`id = ${ref.id}` : tx`name = ${ref.name}`);
}

/** Every condition but the first is optional; all given ones must hold. */
interface EventDefinitionFilter extends ShownFilter {
  teamId: number;
  /** Words; each is part of the name, the description or a tag, in any case. */
  search?: string;
}

export function listEventDefinitions(
  tx: Tx,
  filter: EventDefinitionFilter,
  page: ListPage,
): Promise<Listed<EventDefinition>> {
  const where = tx`${isShown(tx, filter)}
    ${filter.search === undefined ? tx`` : tx`and ${wordsCondition(tx, filter.search)}`}`;
  return TABLE.page(tx, filter.teamId, where, page, { ties: tx`name, id` });
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
  const room = Math.max(0, o.max - Number(only(total).n));
  const present = new Set(known.map(({ name }) => name));
  const added = names.filter((name) => !present.has(name)).slice(0, room);
  const base = { createdAtMs: o.nowMs, lastSeenAtMs: o.nowMs, ...newDefinitionText(o.nowMs) };
  await TABLE.insertAllNew(
    tx,
    added.map((name) => toRow(teamId, { name, ...base })),
  );
}
