import { type AcceptedEvent, EventFlag } from "../../../src/types/mod.ts";
import { REFUSED } from "../disk.ts";
import { Violation } from "../observer.ts";
import { KILLS, THROWS } from "../probeActor.ts";
import { LONG_GROUP_KEY } from "../workload.ts";
import type { Run } from "./run.ts";

/** What a client was told is accepted was. */
export function checkAcknowledged(run: Run): void {
  const accepted = new Set(run.universe.broker.accepted.flatMap(({ events }) => events.map(({ uuid }) => uuid)));
  for (const event of run.clients.flatMap(({ acknowledged }) => acknowledged.flatMap(({ events }) => events))) {
    if (!accepted.has(event.uuid)) throw new Violation(`${event.uuid} was acknowledged and not accepted`);
  }
}

/** Every accepted event is stored, a copy of a stored one, or set aside for a reason that it gave. */
export function checkOutcomes(run: Run): void {
  const totals = new Map<string, number>();
  const count = (teamId: number, outcome: string) => {
    const key = `${teamId}/${outcome}`;
    totals.set(key, (totals.get(key) ?? 0) + 1);
  };
  const setAside = new Set<string>();
  const dropped = new Set<string>();
  for (const [place, { event }] of run.accepted) if (run.deadLetters.has(place)) setAside.add(event.uuid);
  for (const [place, { event, lane, isCorrupt }] of run.accepted) {
    const reason = run.deadLetters.get(place);
    if (reason !== undefined) checkReason(run, place, reason, event, isCorrupt);
    if (lane === "identity") continue;
    const stored = run.byUuid.get(event.uuid);
    if (reason !== undefined) count(event.teamId, "dead_letter");
    else if (isCorrupt) throw new Violation(`${place} is corrupt and was not set aside`);
    else if (isDropped(event)) count(event.teamId, dropped.has(event.uuid) ? "dropped or duplicate" : "dropped");
    else if (stored?.place === place) count(event.teamId, "stored");
    else if (stored !== undefined || setAside.has(event.uuid)) count(event.teamId, "duplicate");
    else throw new Violation(`${place} ${event.event} ${event.uuid} was accepted and is lost`);
    if (isDropped(event)) {
      if (stored !== undefined) throw new Violation(`${place} was to be dropped and is stored`);
      dropped.add(event.uuid);
    }
    if (stored?.place === place && poisonReason(event) !== null) throw new Violation(`${place} is poison and stored`);
  }
  for (const { counts, isLost, lane } of run.universe.broker.accepted) {
    if (isLost || lane === "identity") continue;
    for (const { teamId, dropped } of counts.filter(run.isKept)) {
      for (let n = dropped.missing_event_name ?? 0; n > 0; n--) count(teamId, "dropped");
    }
  }
  compareTotals(run, totals);
  const queued = run.universe.store.rows<{ n: number }>("select coalesce(sum(events), 0) as n from merging");
  if (queued[0]!.n !== 0) throw new Violation(`${queued[0]!.n} events wait for merges that have happened`);
}

function compareTotals(run: Run, totals: ReadonlyMap<string, number>): void {
  type Count = { team_id: number; outcome: string; n: number };
  const counted = new Map(
    run.universe.store
      .rows<Count>("select team_id, outcome, sum(events) as n from settled_counts group by team_id, outcome")
      .filter(({ team_id: teamId }) => run.isKept({ teamId }))
      .map(({ team_id, outcome, n }) => [`${team_id}/${outcome}`, n]),
  );
  for (const teamId of new Set([...totals.keys(), ...counted.keys()].map((key) => key.split("/")[0]))) {
    const [is, should] = [counted, totals].map((from) => (outcome: string) => from.get(`${teamId}/${outcome}`) ?? 0);
    for (const outcome of ["stored", "dead_letter"]) {
      if (is!(outcome) !== should!(outcome)) {
        throw new Violation(`project ${teamId}: ${is!(outcome)} ${outcome} counted, ${should!(outcome)} found`);
      }
    }
    // A copy of an event that an actor drops counts as either, depending on whether they are in one batch.
    const free = should!("dropped or duplicate");
    const more = is!("dropped") - should!("dropped");
    if (more < 0 || more > free || is!("duplicate") !== should!("duplicate") + free - more) {
      throw new Violation(`project ${teamId}: ${is!("dropped")} dropped and ${is!("duplicate")} duplicates counted,
        ${should!("dropped")} and ${should!("duplicate")} found, and ${free} that are either`);
    }
  }
}

function checkReason(run: Run, place: string, reason: string, event: AcceptedEvent, isCorrupt: boolean): void {
  if (isCorrupt ? reason === "corrupt_frame" : reason === poisonReason(event)) return;
  if (reason === "killed_the_worker" && run.universe.observer.suspects.has(place)) return;
  throw new Violation(`${place} ${event.event} was set aside as ${reason}`);
}

function poisonReason({ event }: AcceptedEvent): string | null {
  if (event === THROWS) return "actor_failed";
  if (event === REFUSED) return "refused_by_storage";
  return event === KILLS ? "killed_the_worker" : null;
}

/** Whether an actor leaves it out. */
function isDropped({ event, properties, flags }: AcceptedEvent): boolean {
  return event === "$groupidentify" && (flags & EventFlag.Personless) === 0 && properties.includes(LONG_GROUP_KEY);
}
