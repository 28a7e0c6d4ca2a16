import type { Tx } from "../store/mod.ts";

/**
 * Makes other writers of a row wait until the transaction ends. A transaction that reads a row, changes a part and writes it
 * back needs it (PostgreSQL would let two of them read the same state).
 */
export async function holdRow(
  tx: Tx,
  table:
    | "alerts"
    | "batch_exports"
    | "environments"
    | "insights"
    | "organizations"
    | "personal_api_keys"
    | "projects"
    | "subscriptions"
    | "users",
  id: number | string,
): Promise<void> {
  await tx`update ${tx(table)} set id = id where id = ${id}`;
}
