import { numberOrNull, type Stored, type Tx } from "../store/mod.ts";
import { type Json, only } from "../types/mod.ts";

/** What is counted now and then for the definitions of a project. What a map does not have is 0. */
export interface DefinitionCounts {
  /** Events of the last 30 days, by name. */
  volumes: ReadonlyMap<string, number>;
  /** Insights in use that name an event, by its name. */
  eventUses: ReadonlyMap<string, number>;
  /** Those that name a property, by what `placeOf` makes of it. */
  propertyUses: ReadonlyMap<string, number>;
  placeOf(owner: string, name: string): string;
}

/** When the definitions of a project were counted last, epoch milliseconds; 0 for never. */
export async function definitionsCountedAt(tx: Tx, teamId: number): Promise<number> {
  const rows: { at: Stored }[] =
    await tx`select definitions_counted_at_ms as at from environments where id = ${teamId}`;
  return Number(only(rows).at);
}

/** Saves counts; rows that have them already are not written. */
export async function storeDefinitionCounts(
  tx: Tx,
  teamId: number,
  { volumes, eventUses, propertyUses, placeOf }: DefinitionCounts,
  nowMs: number,
): Promise<void> {
  await tx`update environments set definitions_counted_at_ms = ${nowMs} where id = ${teamId}`;
  const events: { id: string; name: string; volume_30_day: Stored | null; query_usage_30_day: Stored | null }[] =
    await tx`select id, name, volume_30_day, query_usage_30_day from event_definitions where team_id = ${teamId}`;
  for (const { id, name, volume_30_day: volume, query_usage_30_day: uses } of events) {
    const counts = [volumes.get(name) ?? 0, eventUses.get(name) ?? 0] as const;
    if (numberOrNull(volume) === counts[0] && numberOrNull(uses) === counts[1]) continue;
    await tx`update event_definitions set volume_30_day = ${counts[0]}, query_usage_30_day = ${counts[1]} where id = ${id}`;
  }
  const properties: { id: string; owner: string; name: string; query_usage_30_day: Stored | null }[] =
    await tx`select id, owner, name, query_usage_30_day from property_definitions where team_id = ${teamId}`;
  for (const { id, owner, name, query_usage_30_day: uses } of properties) {
    const count = propertyUses.get(placeOf(owner, name)) ?? 0;
    if (numberOrNull(uses) === count) continue;
    await tx`update property_definitions set query_usage_30_day = ${count} where id = ${id}`;
  }
}

/** The queries of insights that were changed, or looked at by somebody, since a time. */
export async function queriesInUse(tx: Tx, teamId: number, sinceMs: number): Promise<Json[]> {
  const rows: { query: string }[] = await tx`
    select query from insights where team_id = ${teamId} and deleted = 0 and query is not null
    and (last_modified_at_ms >= ${sinceMs} or exists
      (select 1 from insight_views v where v.insight_id = insights.id and v.viewed_at_ms >= ${sinceMs}))`;
  return rows.map(({ query }) => JSON.parse(query));
}
