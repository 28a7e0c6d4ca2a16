import type { StoredRow } from "../../actors/contract.ts";
import type { Epoch, SegmentFacts } from "../lake/mod.ts";
import type { FlushTools } from "./flushTools.ts";
import type { Outcome } from "./step.ts";

export interface Written {
  ids: string[];
  segments: SegmentFacts[];
  refused: { row: StoredRow; reason: string }[];
}

/** Writes the files of an outcome, registered before; on failure they are given up. */
export async function writeSegments(tools: FlushTools, { rows, log }: Outcome, epochs: Epoch[]): Promise<Written> {
  const { owner, generation, catalog, layouts, writer, world } = tools;
  const events = (await layouts.partsOf(rows)).map((part) => ({ id: world.newId(), ...part }));
  const said = log.length === 0 ? null : { id: world.newId(), rows: log };
  const ids = [...events.map(({ id }) => id), ...(said === null ? [] : [said.id])];
  if (ids.length === 0) return { ids, segments: [], refused: [] };
  await catalog.registerPending({ ids, writer: owner, generation, epochs });
  try {
    const written = await writer.writeFlush(
      { events, log: said },
      { generation, level: 0, partitions: partitionsIn(rows) },
    );
    for (const { row, reason } of written.log?.rejected ?? []) {
      tools.log(`a row of the log is refused (project ${row.teamId}): ${reason}`);
    }
    const segments = [...written.events, written.log].flatMap((part) => part?.facts ?? []);
    const rejected = written.events.flatMap((part) => part.rejected);
    const refused = rejected.map(({ row, reason }) => ({ row: row as StoredRow, reason }));
    return { ids, segments, refused };
  } catch (error) {
    await catalog.abandon(ids);
    throw error;
  }
}

function partitionsIn(rows: readonly StoredRow[]): number[] {
  return [...new Set(rows.map((row) => row.source.partition))].sort((a, b) => a - b);
}
