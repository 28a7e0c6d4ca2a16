import type { Catalog } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { acceptedSoFar } from "./accepted.ts";
import { type LookUpParts, lookUp } from "./lookUp.ts";

interface ErasePersonParts extends LookUpParts {
  catalog: Pick<Catalog, "currentGeneration" | "erasePerson">;
  bus: Pick<Bus, "lastSequenceOf">;
}

/** Most ids of a person that took part in no merge; nearly always there is one. */
const DISTINCT_IDS_MAX = 10_000;

/**
 * Deletes a person as it is now: everything accepted until then, stored or still queued. False when no
 * person has this id. Throws RetryableError `streams_unavailable` before the first start, and the errors of the lake.
 */
export async function erasePerson(
  parts: ErasePersonParts,
  o: { teamId: number; personId: string; withEvents: boolean; requestedAtMs: number },
): Promise<boolean> {
  const accepted = await acceptedSoFar(parts);
  const found = await lookUp<[distinctId: string]>(parts, {
    teamId: o.teamId,
    sql: (relations) => ({
      text: `select distinct_id from ${relations.distinctIds({ only: "select $1::uuid" })}`,
      params: [o.personId],
    }),
    maxRows: DISTINCT_IDS_MAX,
  });
  if (found.length === 0) return false;
  return parts.catalog.erasePerson({ ...o, distinctIds: found.map(([distinctId]) => distinctId), accepted });
}
