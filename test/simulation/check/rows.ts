import type { AcceptedEvent, JsonObject } from "../../../src/types/mod.ts";
import { Violation } from "../observer.ts";
import type { Run } from "./run.ts";

/** Every stored row is an accepted event, as it was sent, and none twice. */
export function checkRows(run: Run): void {
  for (const stored of run.rows) {
    const { row, place } = stored;
    const accepted = run.accepted.get(place);
    if (accepted === undefined) throw new Violation(`${place} is stored and was not accepted`);
    const { event, storedAtMs } = accepted;
    for (const key of ["teamId", "uuid", "event", "distinctId", "timestampMs", "flags"] as const) {
      if (row[key] !== event[key]) throw new Violation(`${place}: ${key} is ${row[key]} instead of ${event[key]}`);
    }
    if (row.createdAtMs !== storedAtMs) throw new Violation(`${place}: stored as accepted at ${row.createdAtMs}`);
    const properties = JSON.stringify(withGroups(run, event));
    if (JSON.stringify(JSON.parse(row.properties)) !== properties) {
      throw new Violation(`${place}: properties ${row.properties} instead of ${properties}`);
    }
    const first = run.byUuid.get(row.uuid)!;
    if (first !== stored) throw new Violation(`${row.uuid} is stored at ${first.place} and at ${place}`);
  }
}

function withGroups(run: Run, event: AcceptedEvent): JsonObject {
  const properties = JSON.parse(event.properties) as JsonObject;
  for (const [type, key] of Object.entries((properties.$groups ?? {}) as JsonObject)) {
    for (let index = 0; index < 5; index++) {
      if (run.groupTypes.get(`${event.teamId}/${index}`) === type) properties[`$group_${index}`] = key;
    }
  }
  return properties;
}

/** What a client sent first, and was told is accepted, is stored first. */
export function checkOrder(run: Run): void {
  // Of an event that was set aside (with another that killed the worker, say) a later copy may be the stored one.
  const setAside = new Set([...run.deadLetters.keys()].map((place) => run.accepted.get(place)?.event.uuid));
  for (const lane of ["live", "history"] as const) {
    for (const { acknowledged } of run.clients) {
      const last = new Map<string, { at: number; place: string }>();
      for (const event of acknowledged.flatMap((request) => (request.lane === lane ? request.events : []))) {
        const stored = run.byUuid.get(event.uuid);
        if (stored === undefined || stored.row.lane !== lane || setAside.has(event.uuid)) continue;
        const at = stored.generation * 2 ** 40 + stored.row.ordinal;
        const id = `${event.teamId}/${event.distinctId}`;
        const before = last.get(id);
        if (before !== undefined && before.at > at) {
          throw new Violation(`${stored.place} was sent after ${before.place} by ${id}`);
        }
        last.set(id, { at, place: stored.place });
      }
    }
  }
}

/** One person an id, one id a person. */
export function checkPersonIds(run: Run): void {
  const byId = new Map<string, string>();
  const byPerson = new Map<string, string>();
  const note = (teamId: number, distinctId: string, personId: string) => {
    const id = `${teamId}/${distinctId}`;
    if ((byId.get(id) ?? personId) !== personId) throw new Violation(`${id} has two persons`);
    if ((byPerson.get(personId) ?? id) !== id) throw new Violation(`${personId} has two ids`);
    byId.set(id, personId);
    byPerson.set(personId, id);
  };
  for (const { row } of run.rows) note(row.teamId, row.distinctId, row.personId);
  for (const row of run.log) {
    if (row.kind === "identity") note(row.teamId, row.distinctId, row.personId);
    else if (row.subject.type === "person") note(row.teamId, row.subject.distinctId, row.subject.personId);
  }
}

/** Nothing of a deleted project was stored after that, and every event of it is counted. */
export function checkDeleted(run: Run): void {
  const { store, disk, deletedTeamId: teamId, broker } = run.universe;
  if (teamId === null) return;
  type File = { id: string; is_later: number };
  const files = store.rows<File>(
    // What compaction merges without having known of it is left out by its readers.
    `select id, case when level = 0 then live_from > v else erased_through >= v end as is_later
     from segments, (select max(version) as v from erasures) where state = 'live'`,
  );
  for (const { id } of files.filter(({ is_later }) => is_later === 1)) {
    const { events, log } = disk.files.get(id)!;
    const row = [...events, ...log].find((one) => one.teamId === teamId);
    if (row !== undefined) throw new Violation(`${JSON.stringify(row)} was stored after its project was deleted`);
  }
  let accepted = 0;
  for (const { counts, isLost, lane } of broker.accepted) {
    if (isLost || lane === "identity") continue;
    for (const team of counts.filter(({ teamId: id }) => id === teamId)) {
      accepted += team.events + (team.dropped.missing_event_name ?? 0);
    }
  }
  const sum = "select coalesce(sum(events), 0) as n from settled_counts where team_id = ?";
  const settled = store.rows<{ n: number }>(sum, teamId)[0]!.n;
  if (settled !== accepted) throw new Violation(`${accepted} of the deleted project were accepted, ${settled} counted`);
}
