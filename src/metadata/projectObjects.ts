import {
  type Listed,
  type ListPage,
  numberOrNull,
  type Stored,
  searchCondition,
  searchTextOf,
  Table,
  type Tx,
} from "../store/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import { isVisible, type Visible } from "./access.ts";
import { raiseRecordVersion } from "./recordVersions.ts";

/** The content of each kind of named object that queries of a project use. */
export interface ObjectContents {
  cohort: {
    /** A list of persons (`cohortPersons.ts`) instead of filters. */
    isStatic: boolean;
    /** `{properties: {type, values}}` */
    filters: JsonObject;
    /** The query whose persons became the list. */
    query?: JsonObject;
  };
  action: {
    /** By the names of the API. */
    steps: JsonObject[];
    /** Lower-case, sorted, each once. */
    tags: string[];
  };
}
export type ObjectKind = keyof ObjectContents;

/** What a client may set of any of them. */
interface ObjectText {
  name: string | null;
  description: string;
  deleted: boolean;
}

export interface ProjectObject<K extends ObjectKind> extends ObjectText {
  id: number;
  teamId: number;
  kind: K;
  content: ObjectContents[K];
  createdBy: number | null;
  createdAtMs: number;
  updatedAtMs: number;
}

interface ObjectRow<K extends ObjectKind> {
  id: Stored;
  team_id: Stored;
  kind: K;
  name: string | null;
  description: string;
  content: string;
  deleted: Stored;
  created_by: Stored | null;
  created_at_ms: Stored;
  updated_at_ms: Stored;
}

const fromRow = <K extends ObjectKind>(row: ObjectRow<K>): ProjectObject<K> => ({
  id: Number(row.id),
  teamId: Number(row.team_id),
  kind: row.kind,
  name: row.name,
  description: row.description,
  content: JSON.parse(row.content),
  deleted: Number(row.deleted) === 1,
  createdBy: numberOrNull(row.created_by),
  createdAtMs: Number(row.created_at_ms),
  updatedAtMs: Number(row.updated_at_ms),
});

const tableOf = <K extends ObjectKind>() => new Table<ObjectRow<K>, ProjectObject<K>>("project_objects", fromRow);

const columnsOf = (object: ObjectText & { content: object; updatedAtMs: number }) => ({
  name: object.name,
  description: object.description,
  deleted: Number(object.deleted),
  content: JSON.stringify(object.content),
  search_text: searchTextOf([object.name, object.description]),
  updated_at_ms: object.updatedAtMs,
});

/** Saves a new object. */
export async function createObject<K extends ObjectKind>(
  tx: Tx,
  object: Omit<ProjectObject<K>, "id" | "updatedAtMs">,
): Promise<ProjectObject<K>> {
  const row = {
    team_id: object.teamId,
    kind: object.kind,
    ...columnsOf({ ...object, updatedAtMs: object.createdAtMs }),
    created_by: object.createdBy,
    created_at_ms: object.createdAtMs,
  };
  const created = await tableOf<K>().insert(tx, row);
  await raiseRecordVersion(tx, object.teamId);
  return created;
}

/** Saves a changed object whole. */
export async function updateObject(tx: Tx, object: ProjectObject<ObjectKind>): Promise<void> {
  await tableOf().update(tx, object.id, columnsOf(object));
  await raiseRecordVersion(tx, object.teamId);
}

/** With the deleted ones; null for one of another environment or kind. */
export function findObject<K extends ObjectKind>(
  tx: Tx,
  teamId: number,
  kind: K,
  id: number,
): Promise<ProjectObject<K> | null> {
  return tableOf<K>().find(tx, teamId, tx`id = ${id} and kind = ${kind}`);
}

/** All of a kind that are not deleted, oldest first. */
export async function allObjects<K extends ObjectKind>(tx: Tx, teamId: number, kind: K): Promise<ProjectObject<K>[]> {
  const rows: ObjectRow<K>[] = await tx`
    select * from project_objects where team_id = ${teamId} and kind = ${kind} and deleted = 0 order by id`;
  return rows.map(fromRow);
}

/** Every condition is optional; all given ones must hold. */
interface ObjectFilter<K extends ObjectKind> {
  teamId: number;
  kind: K;
  /** What the caller may see; null for all. */
  visible: Visible | null;
  /** Part of name or description, in any case. */
  search?: string;
}

/** One page of those that are not deleted. */
export function listObjects<K extends ObjectKind>(
  tx: Tx,
  filter: ObjectFilter<K>,
  page: ListPage,
): Promise<Listed<ProjectObject<K>>> {
  const where = tx`kind = ${filter.kind} and deleted = 0
    and ${isVisible(tx, filter.visible)}
    ${filter.search === undefined ? tx`` : tx`and ${searchCondition(tx, filter.search)}`}`;
  return tableOf<K>().page(tx, filter.teamId, where, page);
}
