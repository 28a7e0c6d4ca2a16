import type { Stored, Tx } from "../store/mod.ts";

/** Raises the version of a project's records: answers to its queries may have changed. */
export async function raiseRecordVersion(tx: Tx, teamId: number): Promise<void> {
  await tx`insert into record_versions (team_id, version) values (${teamId}, 1)
    on conflict (team_id) do update set version = record_versions.version + 1`;
}

/** 0 before the first change. */
export async function readRecordVersion(tx: Tx, teamId: number): Promise<number> {
  const rows: { version: Stored }[] = await tx`select version from record_versions where team_id = ${teamId}`;
  return Number(rows[0]?.version ?? 0);
}
