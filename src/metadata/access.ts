import type { Fragment, Tx } from "../store/mod.ts";

/** What may be done with an object of a project, from nothing to everything. */
export const OBJECT_LEVELS = ["none", "viewer", "editor", "manager"] as const;
export type ObjectLevel = (typeof OBJECT_LEVELS)[number];

/** What may be done in an environment. */
export const ENVIRONMENT_LEVELS = ["none", "member", "admin"] as const;
export type EnvironmentLevel = (typeof ENVIRONMENT_LEVELS)[number];

/** What all below the level of an admin may do with something. */
export interface Access<L extends string> {
  level: L;
  /** Who said so, and when. */
  setBy: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** Tables whose records have a column `access`. */
export type ControlledTable = "insights" | "dashboards" | "project_objects" | "environments";

/** Null: the default again. */
export async function setAccess(
  tx: Tx,
  table: ControlledTable,
  id: number,
  access: Access<string> | null,
): Promise<void> {
  const text = access === null ? null : JSON.stringify(access);
  await tx`update ${tx(table)} set access = ${text} where id = ${id}`;
}

/** What a row's column says; null where nothing was said. */
export function readAccess<L extends string>(column: string | null): Access<L> | null {
  return column === null ? null : JSON.parse(column);
}

/** The condition that a record is not closed to those below the level of an admin. */
export function isOpen(tx: Tx): Fragment {
  return tx`(access is null or access not like '%"level":"none"%')`;
}
