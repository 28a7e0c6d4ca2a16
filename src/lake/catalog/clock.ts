import type { Db, Tx } from "../../store/mod.ts";

/** The catalog's clock: one for all machines that share it (pins and leases expire by it). */
export async function catalogNowMs(db: Db, tx: Tx): Promise<number> {
  if (db.dialect === "sqlite") return db.nowMs();
  const rows: { now_ms: unknown }[] = await tx`select floor(extract(epoch from clock_timestamp()) * 1000) as now_ms`;
  return Number(rows[0]!.now_ms);
}
