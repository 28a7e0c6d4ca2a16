import type { Tx } from "../../metadata/mod.ts";

/** Raises the catalog's version and locks it until the transaction ends, so that changes stand in one line. */
export async function raiseVersion(tx: Tx): Promise<number> {
  const rows: { version: unknown }[] = await tx`
    update catalog_state set version = version + 1 where id = 1 returning version`;
  return Number(rows[0]!.version);
}

export async function readVersion(tx: Tx): Promise<number> {
  const rows: { version: unknown }[] = await tx`select version from catalog_state where id = 1`;
  return Number(rows[0]!.version);
}

/** Notes that the answers of these projects may have changed. */
export async function raiseProjectVersions(tx: Tx, teamIds: number[], version: number): Promise<void> {
  for (const teamId of teamIds) {
    await tx`insert into project_versions (team_id, version) values (${teamId}, ${version})
      on conflict (team_id) do update set version = excluded.version`;
  }
}
