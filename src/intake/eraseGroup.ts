import type { Catalog, Lake } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import type { GroupIndex } from "../types/mod.ts";
import { acceptedSoFar } from "./accepted.ts";

interface EraseGroupParts {
  catalog: Pick<Catalog, "currentGeneration" | "eraseGroup">;
  bus: Pick<Bus, "lastSequenceOf">;
  lake: Pick<Lake, "query">;
  /** Deadline of the query that looks the group up. */
  deadlineMs: number;
}

/**
 * Deletes a group as it is now: all that was told of it and accepted until then, stored or still queued. False when there is no such
 * group. Throws RetryableError `streams_unavailable` before the first start, and the errors of the lake.
 */
export async function eraseGroup(
  { catalog, bus, lake, deadlineMs }: EraseGroupParts,
  o: { teamId: number; index: GroupIndex; key: string; requestedAtMs: number },
): Promise<boolean> {
  const accepted = await acceptedSoFar({ catalog, bus });
  const { rowsJson } = await lake.query({
    teamId: o.teamId,
    range: { fromMs: null, toMs: null },
    sql: (relations) => ({
      text: `select 1 from ${relations.groups({ properties: false })} where index = $1::utinyint and key = $2::varchar`,
      params: [o.index, o.key],
    }),
    deadlineMs,
    maxRows: 1,
  });
  if ((JSON.parse(rowsJson) as unknown[]).length === 0) return false;
  return catalog.eraseGroup({ ...o, accepted });
}
