import type { Fragment, Tx } from "../store/mod.ts";

/** Rights on an object of a project, lowest first. */
export const OBJECT_LEVELS = ["none", "viewer", "editor", "manager"] as const;
export type ObjectLevel = (typeof OBJECT_LEVELS)[number];

/** Rights in an environment, lowest first. */
export const ENVIRONMENT_LEVELS = ["none", "member", "admin"] as const;
export type EnvironmentLevel = (typeof ENVIRONMENT_LEVELS)[number];

/** The rights of members that are not admins. */
export interface Access<L extends string> {
  level: L;
  /** The user that set it, and when. */
  setBy: number;
  createdAtMs: number;
  updatedAtMs: number;
}

/** Tables whose records have a column `access`. */
export type ControlledTable = "insights" | "dashboards" | "project_objects" | "environments";

/** Sets the access of a record; null sets the default again. */
export async function setAccess(
  tx: Tx,
  table: ControlledTable,
  id: number,
  access: Access<string> | null,
): Promise<void> {
  const text = access === null ? null : JSON.stringify(access);
  await tx`update ${tx(table)} set access = ${text} where id = ${id}`;
}

/** The access in a row's column; null is the default. */
export function readAccess<L extends string>(column: string | null): Access<L> | null {
  return column === null ? null : JSON.parse(column);
}

/** The condition that members that are not admins may see a record. */
export function isOpen(tx: Tx): Fragment {
  return tx`(access is null or access not like '%"level":"none"%')`;
}
