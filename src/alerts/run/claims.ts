import { type Claim, type ClaimTable, keepClaim } from "../../metadata/mod.ts";
import type { Db } from "../../store/mod.ts";

/** A process that is silent for this long has lost its claims. */
export const CLAIM_MS = 10_000;
const KEEP_MS = 3_000;

/** Keeps a claim while `body` works. */
export async function whileClaimed<T>(
  { db, now }: { db: Db; now(): number },
  table: ClaimTable,
  claim: Claim,
  body: () => Promise<T>,
): Promise<T> {
  const keep = () => db.write((tx) => keepClaim(tx, table, claim, now() + CLAIM_MS)).catch(() => false);
  const timer = setInterval(() => void keep(), KEEP_MS);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
}
