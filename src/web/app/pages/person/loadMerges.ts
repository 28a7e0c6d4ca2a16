import { eventRows } from "../parts/events/eventRows.ts";
import { type Merge, mergeOf } from "./merges.ts";

const MERGES_MAX = 100;
const NAMES = "event IN ('$identify', '$create_alias', '$merge_dangerously')";

/** The newest merges of a person. Throws ApiError. */
export async function loadMerges(
  projectId: number,
  { uuid, distinct_ids: ids }: { uuid: string; distinct_ids: readonly string[] },
): Promise<readonly Merge[]> {
  const { rows } = await eventRows(projectId, {
    person_id: uuid,
    select: ["uuid", "event", "timestamp", "distinct_id", "properties.$anon_distinct_id", "properties.alias"],
    where: NAMES,
    after: "all",
    orderBy: "timestamp DESC",
    limit: MERGES_MAX,
  });
  return rows.flatMap((row) => mergeOf(row, new Set(ids)));
}
