import { changed, type Tx } from "../store/mod.ts";

/** Tables whose records one process at a time works on. */
export type ClaimTable = "alerts" | "deliveries" | "subscriptions";

/** A claim: only its holder has the epoch. */
export interface Claim {
  id: string | number;
  epoch: number;
}

/** Keeps a claim until then, epoch milliseconds. False where it is lost: another process has the record, or it was changed. */
export async function keepClaim(tx: Tx, table: ClaimTable, { id, epoch }: Claim, untilMs: number): Promise<boolean> {
  const result = await tx`update ${tx(table)} set claimed_until_ms = ${untilMs} where id = ${id} and epoch = ${epoch}`;
  return changed(result) === 1;
}
