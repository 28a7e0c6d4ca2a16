import type { Catalog, Lake } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { acceptedSoFar } from "./accepted.ts";

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
  const accepted = await acceptedSoFar({ catalog, bus });
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
  return catalog.erasePerson({ ...o, distinctIds, accepted });
}
