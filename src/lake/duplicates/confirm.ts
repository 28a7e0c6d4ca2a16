import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS, describeError, RetryableError } from "../../types/mod.ts";
import type { Erasure } from "../catalog/mod.ts";
import { decoded, type Engine, encoded, isMissingFile, RawFile } from "../engine/mod.ts";
import { keptRows } from "../reading/mod.ts";
import { SegmentMissing, type SegmentStore, spillDirectory, tableOf } from "../storage/mod.ts";

/** An event whose key is in a segment, on the day that was looked up. */
export interface Hit {
  /** Place of the event in the batch. */
  index: number;
  teamId: number;
  day: number;
  event: string;
  distinctId: string;
  uuid: string;
}

/**
 * Which of the hits are true, by all five fields: places of the events in the batch. One query over all files.
 * Throws RetryableError `segment_missing` when a file has been collected, `duplicates_not_checked` when the
 * machine failed.
 */
export async function confirmHits(
  engine: Engine,
  stored: {
    storage: SegmentStore;
    files: readonly { id: string; erasedThrough: number; columns: number }[];
    erasures: readonly Erasure[];
  },
  hits: readonly Hit[],
): Promise<number[]> {
  const { storage, files, erasures } = stored;
  const folder = spillDirectory(storage.workDirectory);
  try {
    await mkdir(folder, { recursive: true });
    const reader = await writeHits(join(folder, "hits.raw"), hits);
    const read = (some: readonly { id: string }[]) => tableOf(storage, some);
    const columns = `team_id, uuid, event, distinct_id, person_id, "timestamp"`;
    const days = hits.map((hit) => hit.day);
    const fromMs = days.reduce((a, b) => Math.min(a, b)) * DAY_MS;
    const toMs = (days.reduce((a, b) => Math.max(a, b)) + 1) * DAY_MS;
    const locations = files.map(({ id }) => storage.locate({ id, part: "rows" }));
    const found = await storage.hold(locations, () =>
      engine.use(async (session) => {
        await session.run(`create temp table hits as
        select i, team_id, uuid, day_ms, ${decoded("event")} as event, ${decoded("distinct_id")} as distinct_id
        from ${reader}`);
        return session.run(`select distinct h.i from ${keptRows({ kind: "events", files, erasures, read, columns })} e join hits h
        on e.uuid = h.uuid and e.team_id = h.team_id and e.event = h.event and e.distinct_id = h.distinct_id
          and epoch_ms(e."timestamp") >= h.day_ms and epoch_ms(e."timestamp") < h.day_ms + ${DAY_MS}
        where e."timestamp" >= make_timestamp_ms(${fromMs}) and e."timestamp" < make_timestamp_ms(${toMs})`);
      }),
    );
    return found.map((row) => Number(row[0]));
  } catch (error) {
    const code = error instanceof SegmentMissing || isMissingFile(error) ? "segment_missing" : "duplicates_not_checked";
    throw new RetryableError(code, `possible duplicates: ${describeError(error)}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeHits(path: string, hits: readonly Hit[]): Promise<string> {
  const raw = await RawFile.create(path);
  try {
    for (const hit of hits) {
      const { index, teamId, uuid, day, event, distinctId } = hit;
      for (const part of [index, teamId, uuid, day * DAY_MS, encoded(event)]) raw.field(part);
      raw.text(encoded(distinctId));
      if (raw.endLine()) await raw.flush();
    }
    await raw.flush();
  } finally {
    await raw.close();
  }
  return raw.reader({
    i: "BIGINT",
    team_id: "BIGINT",
    uuid: "UUID",
    day_ms: "BIGINT",
    event: "VARCHAR",
    distinct_id: "VARCHAR",
  });
}
