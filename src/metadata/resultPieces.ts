import type { Db, Stored, Tx } from "../store/mod.ts";

/** Rows of a result that are too long to be one value of the store. */
export interface LongRows {
  /** Of the calculation. */
  runId: string;
  sizeBytes: number;
}

/** Bytes of a piece: writing one holds up the others' commits for a few milliseconds. */
const PIECE_BYTES = 512 * 1024;
/** Pieces removed in one transaction. */
const PIECES_AT_ONCE = 8;
/** Pieces that no result has claimed by then were left by a process that died. */
const UNCLAIMED_MS = 3_600_000;

/** Stores the text of rows, one transaction for each piece. Readers find it once a result has its id. */
export async function storePieces(
  db: Db,
  { runId, teamId, nowMs }: { runId: string; teamId: number; nowMs: number },
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  let piece = 0;
  let waiting: Uint8Array[] = [];
  const flush = async () => {
    const row = { run_id: runId, piece: piece++, team_id: teamId, content: Buffer.concat(waiting), at_ms: nowMs };
    waiting = [];
    await db.write((tx) => tx`insert into query_pieces ${tx(row)}`);
  };
  for await (const chunk of chunks) {
    waiting.push(chunk);
    if (waiting.reduce((sum, { length }) => sum + length, 0) >= PIECE_BYTES) await flush();
  }
  if (waiting.length > 0) await flush();
}

/** The same text, in order; it ends early where the result has been forgotten meanwhile. */
export async function* readPieces(db: Db, runId: string, teamId: number): AsyncGenerator<Uint8Array> {
  for (let piece = 0; ; piece++) {
    const rows: { content: Uint8Array }[] = await db.read(
      (tx) => tx`select content from query_pieces where run_id = ${runId} and piece = ${piece} and team_id = ${teamId}`,
    );
    if (rows[0] === undefined) return;
    yield rows[0].content;
  }
}

/** Removes the pieces of calculations, some at a time. */
export async function forgetPieces(db: Db, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    for (let first = 0; await hasPieces(db, runId); first += PIECES_AT_ONCE) {
      await db.write(
        (tx) => tx`delete from query_pieces where run_id = ${runId} and piece < ${first + PIECES_AT_ONCE}`,
      );
    }
  }
}

/** Calculations with old pieces that no result has the id of. */
export async function unclaimedPieces(tx: Tx, nowMs: number): Promise<string[]> {
  const rows: { run_id: string }[] = await tx`
    select distinct run_id from query_pieces p where at_ms < ${nowMs - UNCLAIMED_MS}
    and not exists (select 1 from query_cache c where c.run_id = p.run_id)`;
  return rows.map((row) => row.run_id);
}

function hasPieces(db: Db, runId: string): Promise<boolean> {
  return db.read(async (tx) => {
    const rows: { found: Stored }[] = await tx`select 1 as found from query_pieces where run_id = ${runId} limit 1`;
    return rows.length > 0;
  });
}
