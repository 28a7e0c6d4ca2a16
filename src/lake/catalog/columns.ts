import type { Db, Tx } from "../../store/mod.ts";
import {
  type ColumnType,
  LAYOUT_ASKED_ROOM,
  LAYOUT_MAX_COLUMNS,
  mayHaveColumn,
  type TypedColumn,
} from "../typed/mod.ts";
import { lockProject } from "./clock.ts";

/** The layout of a project: its typed columns in order of id. */
export async function readLayout(db: Db, teamId: number): Promise<TypedColumn[]> {
  return db.read((tx) => layoutOf(tx, teamId));
}

/**
 * Adds columns for keys that may have one and have none yet, as long as there is room, and gives the whole layout. `isAsked`: queries read
 * them, or they are pinned.
 */
export async function growLayout(
  db: Db,
  teamId: number,
  wanted: readonly { key: string; type: ColumnType }[],
  { isAsked = false } = {},
): Promise<TypedColumn[]> {
  return db.write(async (tx) => {
    await lockProject(tx, teamId);
    const layout = await layoutOf(tx, teamId);
    const known = new Set(layout.map(({ key }) => key));
    for (const { key, type } of wanted) {
      if (isAsked ? layout.length === LAYOUT_MAX_COLUMNS : isFull(layout)) break;
      if (known.has(key) || !mayHaveColumn(key)) continue;
      const column = { id: layout.length, key, type };
      await tx`insert into property_columns (team_id, id, key, type) values (${teamId}, ${column.id}, ${key}, ${type})`;
      layout.push(column);
      known.add(key);
    }
    return layout;
  });
}

/** Whether a key gets no column any more for its share alone. */
export function isFull(layout: readonly TypedColumn[]): boolean {
  return layout.length >= LAYOUT_MAX_COLUMNS - LAYOUT_ASKED_ROOM;
}

export async function layoutOf(tx: Tx, teamId: number): Promise<TypedColumn[]> {
  const rows: { id: unknown; key: string; type: ColumnType }[] = await tx`
    select id, key, type from property_columns where team_id = ${teamId} order by id`;
  return rows.map(({ id, key, type }) => ({ id: Number(id), key, type }));
}
