import { VERSION_SOURCE } from "../../types/mod.ts";
import type { Catalog, ErasedPerson } from "../catalog/mod.ts";
import { tableOfLists } from "../engine/mod.ts";
import { checkUuid, type Reader } from "../reading/mod.ts";
import { locationsOf, type SegmentStore, tableOf } from "../storage/mod.ts";

/** Deleted persons of which rows were accepted afterwards: their ids were sent again. */
export async function returnedPersons(
  { catalog, storage, reader }: { catalog: Pick<Catalog, "segmentChanges">; storage: SegmentStore; reader: Reader },
  persons: readonly (ErasedPerson & { version: number })[],
): Promise<Set<string>> {
  const returned = new Set<string>();
  if (persons.length === 0) return returned;
  const teamIds = new Set(persons.map(({ teamId }) => teamId));
  const { added: live } = await catalog.segmentChanges(0);
  for (const file of live) {
    if (file.kind === "roster" || !file.teams.some(({ teamId }) => teamIds.has(teamId))) continue;
    const isAfter =
      file.kind === "events"
        ? "epoch_ms(r.created_at) > e.requested_at_ms"
        : `(r.source <> ${VERSION_SOURCE.history} and r.t_ms > e.requested_at_ms)`;
    const erased = tableOfLists({
      person_id: ["uuid", persons.map(({ personId }) => checkUuid(personId))],
      version: ["bigint", persons.map(({ version }) => version)],
      requested_at_ms: ["bigint", persons.map(({ requestedAtMs }) => requestedAtMs)],
    });
    // A file that was freed of them holds only what came later.
    const text = `select distinct e.person_id::varchar from ${erased} e
       join ${tableOf(storage, [file])} r on r.person_id = e.person_id
       where e.version <= ${file.erasedThrough} or ${isAfter}`;
    const rows = await storage.hold(locationsOf(storage, [file]), () => reader.run(text));
    for (const [personId] of rows) returned.add(String(personId));
  }
  return returned;
}
