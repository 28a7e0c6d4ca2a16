import type { Tx } from "../store/mod.ts";

/** Tables of records that are read, changed in part and written back. */
export type HeldTable =
  | "alerts"
  | "annotations"
  | "batch_export_backfills"
  | "batch_exports"
  | "dashboards"
  | "environments"
  | "event_definitions"
  | "imports"
  | "insights"
  | "organizations"
  | "personal_api_keys"
  | "project_objects"
  | "projects"
  | "property_definitions"
  | "subscriptions"
  | "users";

/**
 * Makes other writers of a row wait until the transaction ends. A transaction that reads a row, changes a part and writes it
 * back needs it (PostgreSQL would let two of them read the same state).
 */
export async function holdRow(tx: Tx, table: HeldTable, id: number | string): Promise<void> {
  await tx`update ${tx(table)} set id = id where id = ${id}`;
}

/** The same for those of some rows that are a project's. */
export async function holdRows(
  tx: Tx,
  table: "dashboards" | "insights",
  teamId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length > 0) await tx`update ${tx(table)} set id = id where team_id = ${teamId} and id in ${tx([...ids])}`;
}
