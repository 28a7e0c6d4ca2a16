import { changed, type Db } from "../../store/mod.ts";
import { DAY_MS, dayOf } from "../../types/mod.ts";
import { type ColumnType, LAYOUT_MAX_COLUMNS, mayHaveColumn } from "../typed/mod.ts";
import { catalogNowMs } from "./clock.ts";

/** A key that queries read, and days are counted from then. */
interface KeyUse {
  teamId: number;
  key: string;
}

/** A key that should have a column and has none. */
export interface WantedColumn extends KeyUse {
  /** Null: the one that most values have. */
  type: ColumnType | null;
}

/** Keys that queries read within so many days get columns. */
const USED_DAYS = 30;
/** Keys of one project that are remembered; those longest not used give way. */
const PROJECT_MAX_USES = 1_000;

/** Notes that queries have read keys today. */
export async function noteKeyUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  await db.write(async (tx) => {
    const today = dayOf(await catalogNowMs(db, tx));
    for (const { teamId, key } of uses) {
      await tx`insert into property_uses (team_id, key, used_day) values (${teamId}, ${key}, ${today})
        on conflict (team_id, key) do update set used_day = excluded.used_day`;
    }
    for (const teamId of new Set(uses.map((use) => use.teamId))) {
      await tx`delete from property_uses where team_id = ${teamId} and used_day < ${today - USED_DAYS}`;
      await tx`delete from property_uses where team_id = ${teamId} and key in (
        select key from property_uses where team_id = ${teamId}
        order by used_day desc, key limit 1000000 offset ${PROJECT_MAX_USES})`;
    }
  });
}

/** Keys without a column, of projects that have room for one: pinned ones first, then those used last. */
export async function wantedColumns(db: Db): Promise<WantedColumn[]> {
  return db.read(async (tx) => {
    const sinceDay = dayOf((await catalogNowMs(db, tx)) - USED_DAYS * DAY_MS);
    const rows: { team_id: unknown; key: string; type: ColumnType | null }[] = await tx`
      select w.team_id, w.key, w.type from (
        select team_id, key, type, 1 as is_pinned, 0 as used_day from property_pins
        union all
        select u.team_id, u.key, null, 0, u.used_day from property_uses u
        where u.used_day >= ${sinceDay} and not exists (
          select 1 from property_pins p where p.team_id = u.team_id and p.key = u.key)) w
      where not exists (select 1 from property_columns c where c.team_id = w.team_id and c.key = w.key)
        and (select count(*) from property_columns c where c.team_id = w.team_id) < ${LAYOUT_MAX_COLUMNS}
      order by w.team_id, w.is_pinned desc, w.used_day desc, w.key`;
    return rows
      .filter(({ key }) => mayHaveColumn(key))
      .map((row) => ({ teamId: Number(row.team_id), key: row.key, type: row.type }));
  });
}

/** Keys that an operator wants columns for. */
export async function pinnedKeys(db: Db, teamId: number): Promise<{ key: string; type: ColumnType | null }[]> {
  return db.read((tx) => tx`select key, type from property_pins where team_id = ${teamId} order by key`);
}

/** From now on the key should have a column, even if few events have it. */
export async function pinKey(db: Db, { teamId, key, type }: WantedColumn): Promise<void> {
  await db.write(
    (tx) => tx`insert into property_pins (team_id, key, type) values (${teamId}, ${key}, ${type})
      on conflict (team_id, key) do update set type = excluded.type`,
  );
}

/** A column that it has got stays. False when the key is not pinned. */
export async function unpinKey(db: Db, { teamId, key }: KeyUse): Promise<boolean> {
  return db.write(
    async (tx) => changed(await tx`delete from property_pins where team_id = ${teamId} and key = ${key}`) === 1,
  );
}
