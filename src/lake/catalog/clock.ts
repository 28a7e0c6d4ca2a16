import type { Db, Tx } from "../../store/mod.ts";
import { only } from "../../types/mod.ts";

/** The catalog's clock: one for all machines that share it (pins and leases expire by it). */
export async function catalogNowMs(db: Db, tx: Tx): Promise<number> {
  if (db.dialect === "sqlite") return db.nowMs();
  const rows: { now_ms: unknown }[] = await tx`select floor(extract(epoch from clock_timestamp()) * 1000) as now_ms`;
  return Number(only(rows).now_ms);
}

/** Raises the catalog's version and locks it until the transaction ends, so that changes happen one after the other. */
export async function raiseVersion(tx: Tx): Promise<number> {
  const rows: { version: unknown }[] = await tx`
    update catalog_state set version = version + 1 where id = 1 returning version`;
  return Number(only(rows).version);
}

/** The same, without a change. */
export async function lockVersion(tx: Tx): Promise<void> {
  await tx`update catalog_state set version = version where id = 1`;
}

export async function readVersion(tx: Tx): Promise<number> {
  const rows: { version: unknown }[] = await tx`select version from catalog_state where id = 1`;
  return Number(only(rows).version);
}

/** Tells this Weir from any other: 32 hexadecimal digits, made with its records. One that is restored keeps it. */
export function readWeirId(db: Db): Promise<string> {
  return db.read(async (tx) => {
    const rows: { weir_id: string }[] = await tx`select weir_id from catalog_state where id = 1`;
    return only(rows).weir_id;
  });
}

/** Notes that the answers of these projects may have changed. */
export async function raiseProjectVersions(tx: Tx, teamIds: Iterable<number>, version: number): Promise<void> {
  for (const teamId of teamIds) {
    await tx`insert into project_versions (team_id, version, merges_version) values (${teamId}, ${version}, 0)
      on conflict (team_id) do update set version = excluded.version`;
  }
}

/** Locks the project until the transaction ends, so that readings of it that decide on a write happen one after the other. */
export async function lockProject(tx: Tx, teamId: number): Promise<void> {
  await tx`insert into project_versions (team_id, version, merges_version) values (${teamId}, 0, 0)
    on conflict (team_id) do update set version = project_versions.version`;
}

/** Notes that persons of these projects were merged: files squashed before it need a look-up again. */
export async function raiseMergesVersions(tx: Tx, teamIds: Iterable<number>, version: number): Promise<void> {
  for (const teamId of teamIds) {
    await tx`insert into project_versions (team_id, version, merges_version) values (${teamId}, ${version}, ${version})
      on conflict (team_id) do update set version = excluded.version, merges_version = excluded.merges_version`;
  }
}

export async function readMergesVersion(tx: Tx, teamId: number): Promise<number> {
  const rows: { merges_version: unknown }[] = await tx`
    select merges_version from project_versions where team_id = ${teamId}`;
  return Number(rows[0]?.merges_version ?? 0);
}
