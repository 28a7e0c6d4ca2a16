import type { Catalog } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import type { GroupIndex } from "../types/mod.ts";
import { acceptedSoFar } from "./accepted.ts";
import { type LookUpParts, lookUp } from "./lookUp.ts";

interface EraseGroupParts extends LookUpParts {
  catalog: Pick<Catalog, "currentGeneration" | "eraseGroup">;
  bus: Pick<Bus, "lastSequenceOf">;
}

/**
 * Deletes a group as it is now: all that was told of it and accepted until then, stored or still queued. False when there is no such
 * group. Throws RetryableError `streams_unavailable` before the first start, and the errors of the lake.
 */
export async function eraseGroup(
  parts: EraseGroupParts,
  o: { teamId: number; index: GroupIndex; key: string; requestedAtMs: number },
): Promise<boolean> {
  const accepted = await acceptedSoFar(parts);
  const found = await lookUp(parts, {
    teamId: o.teamId,
    sql: (relations) => ({
      text: `select 1 from ${relations.groups({ properties: false })} where index = $1::utinyint and key = $2::varchar`,
      params: [o.index, o.key],
    }),
    maxRows: 1,
  });
  return found.length > 0 && parts.catalog.eraseGroup({ ...o, accepted });
}
