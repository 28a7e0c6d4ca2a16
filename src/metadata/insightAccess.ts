import type { Tx } from "./db.ts";

/** From nothing to everything. */
export const ACCESS_LEVELS = ["none", "viewer", "editor", "manager"] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** What all may do with an insight but its maker and admins, who may do everything. */
export interface InsightAccess {
  level: AccessLevel;
  /** Who said so, and when. */
  setBy: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** Null: the default again. */
export async function setInsightAccess(tx: Tx, insightId: number, access: InsightAccess | null): Promise<void> {
  const text = access === null ? null : JSON.stringify(access);
  await tx`update insights set access = ${text} where id = ${insightId}`;
}
