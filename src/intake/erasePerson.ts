import type { Catalog, Lake } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { LANES, RetryableError } from "../types/mod.ts";

interface ErasePersonParts {
  catalog: Pick<Catalog, "currentGeneration" | "erasePerson">;
  bus: Pick<Bus, "lastSequenceOf">;
  lake: Pick<Lake, "query">;
  /** Deadline of the query that looks the person up. */
  deadlineMs: number;
}

/** Most ids of a person that took part in no merge; nearly always there is one. */
const DISTINCT_IDS_MAX = 10_000;

/**
 * Deletes a person as it is now: everything accepted until then, stored or still queued. False when no
 * person has this id. Throws RetryableError `streams_unavailable` before the first start, and the errors of the lake.
 */
export async function erasePerson(
  { catalog, bus, lake, deadlineMs }: ErasePersonParts,
  o: { teamId: number; personId: string; withEvents: boolean; requestedAtMs: number },
): Promise<boolean> {
  const current = await catalog.currentGeneration();
  if (current === null) throw new RetryableError("streams_unavailable", "the event streams are being prepared");
  const { generation, partitions } = current;
  const places = LANES.flatMap((lane) => Array.from({ length: partitions }, (_, partition) => ({ lane, partition })));
  const sequences = await Promise.all(
    places.map(async (at) => ({ ...at, sequence: await bus.lastSequenceOf({ ...at, generation }) })),
  );
  const { rowsJson } = await lake.query({
    teamId: o.teamId,
    range: { fromMs: null, toMs: null },
    sql: (relations) => ({
      text: `select distinct_id from ${relations.distinctIds({ only: "select $1::uuid" })}`,
      params: [o.personId],
    }),
    deadlineMs,
    maxRows: DISTINCT_IDS_MAX,
  });
  const distinctIds = (JSON.parse(rowsJson) as [string][]).map(([distinctId]) => distinctId);
  if (distinctIds.length === 0) return false;
  const accepted = { generation, sequences: sequences.filter(({ sequence }) => sequence > 0) };
  return catalog.erasePerson({ ...o, distinctIds, accepted });
}
