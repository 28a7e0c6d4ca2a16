import type { Db, Stored, Tx } from "../store/mod.ts";
import { only } from "../types/mod.ts";
import { readRecordVersion } from "./recordVersions.ts";
import { forgetPieces, type LongRows, storePieces, unclaimedPieces } from "./resultPieces.ts";

/** A calculated answer. */
export interface CachedResult {
  /** The answer as JSON text; without its rows where those are long. */
  result: string;
  /** Where its rows are, if they are long. */
  long: LongRows | null;
  /** The project's data version when the calculation began. */
  dataVersion: number;
  /** What else decides whether it is still the answer; null when nothing can. */
  basis: string | null;
  /** When the calculation began. */
  computedAtMs: number;
}

interface CacheRow {
  cache_key: string;
  result: string;
  run_id: string | null;
  long_bytes: Stored;
  data_version: Stored;
  basis: string | null;
  computed_at_ms: Stored;
}

/** By key; the project is part of the condition, so that an entry can never reach another one. */
export async function findCachedResults(
  tx: Tx,
  teamId: number,
  keys: readonly string[],
): Promise<Map<string, CachedResult>> {
  if (keys.length === 0) return new Map();
  const rows: CacheRow[] = await tx`
    select cache_key, result, run_id, long_bytes, data_version, basis, computed_at_ms from query_cache
    where team_id = ${teamId} and cache_key in ${tx([...new Set(keys)])}`;
  return new Map(
    rows.map((row) => [
      row.cache_key,
      {
        result: row.result,
        long: row.run_id === null ? null : { runId: row.run_id, sizeBytes: Number(row.long_bytes) },
        dataVersion: Number(row.data_version),
        basis: row.basis,
        computedAtMs: Number(row.computed_at_ms),
      },
    ]),
  );
}

/**
 * Keeps a result, and forgets the oldest ones beyond `maxBytes` in all.
 * A result above `maxBytes` is not kept; an older one never replaces a newer one. `longRows`: the text of the rows, where
 * they are long.
 */
export async function storeCachedResult(
  db: Db,
  entry: CachedResult & { cacheKey: string; teamId: number },
  maxBytes: number,
  longRows: AsyncIterable<Uint8Array> | null = null,
): Promise<void> {
  const sizeBytes = Buffer.byteLength(entry.result) + (entry.long?.sizeBytes ?? 0);
  if (sizeBytes > maxBytes) return;
  const { teamId, long } = entry;
  const nowMs = db.nowMs();
  if (long !== null && longRows !== null) await storePieces(db, { runId: long.runId, teamId, nowMs }, longRows);
  const forgotten = await db.write(async (tx) => {
    const before = await runsOf(tx);
    const row = {
      cache_key: entry.cacheKey,
      team_id: entry.teamId,
      result: entry.result,
      run_id: long?.runId ?? null,
      long_bytes: long?.sizeBytes ?? 0,
      size_bytes: sizeBytes,
      data_version: entry.dataVersion,
      basis: entry.basis,
      computed_at_ms: entry.computedAtMs,
    };
    await tx`insert into query_cache ${tx(row)}
      on conflict (cache_key) do update set result = excluded.result, size_bytes = excluded.size_bytes,
        run_id = excluded.run_id, long_bytes = excluded.long_bytes,
        data_version = excluded.data_version, basis = excluded.basis, computed_at_ms = excluded.computed_at_ms
      where excluded.computed_at_ms >= query_cache.computed_at_ms`;
    const total: { bytes: Stored }[] = await tx`select sum(size_bytes) as bytes from query_cache`;
    if (Number(only(total).bytes) > maxBytes) {
      await tx`delete from query_cache where cache_key in (
        select cache_key from (
          select cache_key, sum(size_bytes) over (order by computed_at_ms desc, cache_key) as newer_bytes from query_cache
        ) as ranked where newer_bytes > ${maxBytes})`;
    }
    if (long !== null) before.add(long.runId);
    return before.size === 0 ? [] : [...before.difference(await runsOf(tx)), ...(await unclaimedPieces(tx, nowMs))];
  });
  await forgetPieces(db, forgotten);
}

/** The calculations of the long results that are kept: few, since each is large. */
async function runsOf(tx: Tx): Promise<Set<string>> {
  const rows: { run_id: string }[] = await tx`select run_id from query_cache where run_id is not null`;
  return new Set(rows.map((row) => row.run_id));
}

/**
 * Grows with every commit that can change the project's answers, and with every change of its records that can; 0 before
 * the first. (A sum of two counters that only grow: it is equal only where both are.)
 */
export async function readDataVersion(tx: Tx, teamId: number): Promise<number> {
  const rows: { version: Stored }[] = await tx`select version from project_versions where team_id = ${teamId}`;
  return Number(rows[0]?.version ?? 0) + (await readRecordVersion(tx, teamId));
}
