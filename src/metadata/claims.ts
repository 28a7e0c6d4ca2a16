import { changed, type Tx } from "../store/mod.ts";

/** Tables whose records one process at a time works on. */
export type ClaimTable = "alerts" | "deliveries" | "subscriptions";

/** A claim: only its holder has the epoch. */
export interface Claim {
  id: string | number;
  epoch: number;
}

/** Claims a record for `ttlMs`; the epoch of the new claim, or null where another process has it. */
export async function claimRecord(
  tx: Tx,
  table: ClaimTable,
  { id, epoch }: Claim,
  o: { nowMs: number; ttlMs: number },
): Promise<number | null> {
  const result = await tx`update ${tx(table)} set epoch = epoch + 1, claimed_until_ms = ${o.nowMs + o.ttlMs}
    where id = ${id} and epoch = ${epoch}`;
  return changed(result) === 1 ? epoch + 1 : null;
}

/** Keeps a claim until then, epoch milliseconds. False where it is lost: another process has the record, or it was changed. */
export async function keepClaim(tx: Tx, table: ClaimTable, { id, epoch }: Claim, untilMs: number): Promise<boolean> {
  const result = await tx`update ${tx(table)} set claimed_until_ms = ${untilMs} where id = ${id} and epoch = ${epoch}`;
  return changed(result) === 1;
}
