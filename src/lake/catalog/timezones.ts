import type { Db } from "../../store/mod.ts";

/** Of data without an environment. */
export const DEFAULT_ZONE = "UTC";

/** The zones whose days these projects' insights count, as they are now. */
export async function timezonesOf(db: Db, teamIds: readonly number[]): Promise<Map<number, string>> {
  const zones = new Map(teamIds.map((teamId) => [teamId, DEFAULT_ZONE]));
  if (teamIds.length === 0) return zones;
  const rows: { id: unknown; timezone: string }[] = await db.read(
    (tx) => tx`select id, timezone from environments where id in ${tx([...teamIds])}`,
  );
  for (const { id, timezone } of rows) zones.set(Number(id), timezone);
  return zones;
}
