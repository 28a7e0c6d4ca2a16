import { changed, type Stored, type Tx } from "../store/mod.ts";

/** A result that is to be calculated on this version of the project's data. All callers share it. */
export interface ClaimKey {
  cacheKey: string;
  dataVersion: number;
}

/**
 * Takes the right to calculate a result, unless another process has it and is alive; forgets those of the dead.
 * `computedAtMs`: the time the result will carry. Times besides it are of the machines' clocks.
 */
export async function takeClaim(
  tx: Tx,
  key: ClaimKey,
  o: { holder: string; computedAtMs: number; nowMs: number; ttlMs: number },
): Promise<boolean> {
  const row = {
    cache_key: key.cacheKey,
    data_version: key.dataVersion,
    holder: o.holder,
    computed_at_ms: o.computedAtMs,
    expires_at_ms: o.nowMs + o.ttlMs,
  };
  await tx`delete from query_claims where expires_at_ms < ${o.nowMs}`;
  const result = await tx`insert into query_claims ${tx(row)} on conflict (cache_key, data_version) do nothing`;
  return changed(result) > 0;
}

/** When the calculation that has the claim began; null without a claim. */
export async function claimedSince(tx: Tx, key: ClaimKey, nowMs: number): Promise<number | null> {
  const rows: { computed_at_ms: Stored }[] = await tx`
    select computed_at_ms from query_claims
    where cache_key = ${key.cacheKey} and data_version = ${key.dataVersion} and expires_at_ms >= ${nowMs}`;
  return rows[0] === undefined ? null : Number(rows[0].computed_at_ms);
}

export async function renewClaim(tx: Tx, key: ClaimKey, o: { holder: string; expiresAtMs: number }): Promise<void> {
  await tx`update query_claims set expires_at_ms = ${o.expiresAtMs}
    where cache_key = ${key.cacheKey} and data_version = ${key.dataVersion} and holder = ${o.holder}`;
}

export async function dropClaim(tx: Tx, key: ClaimKey, holder: string): Promise<void> {
  await tx`delete from query_claims
    where cache_key = ${key.cacheKey} and data_version = ${key.dataVersion} and holder = ${holder}`;
}
