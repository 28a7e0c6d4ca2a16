import {
  type AcceptedEvent,
  EventFlag,
  type EventRow,
  type JsonObject,
  type Lane,
  type LogRow,
} from "../../src/types/mod.ts";
import type { Client } from "./client.ts";
import { REFUSED } from "./disk.ts";
import { foldLog } from "./fold.ts";
import { findBelowItsMerge, type ModelPerson, type ModelTeam, placeOf, playModel } from "./model.ts";
import { Violation } from "./observer.ts";
import { KILLS, NOTIFIES, THROWS } from "./probeActor.ts";
import type { Receiver } from "./receiver.ts";
import type { Universe } from "./universe.ts";
import { LONG_GROUP_KEY } from "./workload.ts";

const UNITS = 2 ** 20;
const DAY_MS = 86_400_000;

interface StoredRow {
  row: EventRow;
  place: string;
  generation: number;
}

/** Compares what a drained run has stored with what was accepted. Throws Violation for the first promise that is broken. */
export function checkEverything(universe: Universe, clients: readonly Client[], receiver: Receiver): void {
  new Check(universe, clients, receiver).run();
}

class Check {
  private readonly rows: StoredRow[] = [];
  private readonly log: LogRow[] = [];
  private readonly accepted = new Map<
    string,
    { event: AcceptedEvent; lane: Lane; isCorrupt: boolean; storedAtMs: number }
  >();
  private readonly deadLetters = new Map<string, string>();
  private readonly byUuid = new Map<string, StoredRow>();
  private readonly sent = new Map<string, AcceptedEvent>();
  private readonly groupTypes = new Map<string, string>();
  private readonly deletedUuids = new Set<string>();
  /** What is not deleted. */
  private readonly isKept: (row: { teamId: number }) => boolean;

  constructor(
    private readonly universe: Universe,
    private readonly clients: readonly Client[],
    private readonly receiver: Receiver,
  ) {
    const { store, disk, broker } = universe;
    this.isKept = ({ teamId }) => teamId !== universe.deletedTeamId;
    for (const { requests } of clients)
      for (const { events } of requests)
        for (const e of events) {
          if (this.isKept(e)) this.sent.set(e.uuid, e);
          else this.deletedUuids.add(e.uuid);
        }
    for (const { id } of store.rows<{ id: string }>("select id from segments where state = 'live'")) {
      const file = disk.files.get(id);
      if (file === undefined) throw new Violation(`the file of live segment ${id} is gone`);
      this.log.push(...file.log.filter(this.isKept));
      for (const row of file.events.filter(this.isKept)) {
        const place = placeOf(file.generation, row.lane, Math.floor(row.ordinal / UNITS), row.ordinal % UNITS);
        this.rows.push({ row, place, generation: file.generation });
      }
    }
    for (const frame of broker.accepted) {
      if (frame.isLost) continue;
      for (const [index, event] of frame.events.entries()) {
        if (!this.isKept(event)) continue;
        const { lane, isCorrupt, storedAtMs, generation, sequence } = frame;
        this.accepted.set(placeOf(generation, lane, sequence, index), { event, lane, isCorrupt, storedAtMs });
      }
    }
    type Letter = { generation: number; lane: Lane; sequence: number; frame_index: number; reason: string };
    for (const letter of store.rows<Letter>(
      "select generation, lane, sequence, frame_index, reason from dead_letters where team_id <> ?",
      universe.deletedTeamId ?? 0,
    )) {
      const place = placeOf(letter.generation, letter.lane, letter.sequence, letter.frame_index);
      if (this.deadLetters.has(place)) throw new Violation(`${place} was set aside twice`);
      this.deadLetters.set(place, letter.reason);
    }
    type Type = { team_id: number; group_type: string; group_index: number };
    for (const row of store.rows<Type>("select team_id, group_type, group_index from group_types")) {
      this.groupTypes.set(`${row.team_id}/${row.group_index}`, row.group_type);
    }
  }

  run(): void {
    this.checkAcknowledged();
    this.checkDeleted();
    this.checkRows();
    this.checkOutcomes();
    this.checkOrder();
    this.checkPersonIds();
    this.checkUsage();
    this.checkStates();
    this.checkMessages();
    this.checkPersons();
  }

  /** Nothing of a deleted project was stored after that, and every event of it is counted. */
  private checkDeleted(): void {
    const { store, disk, deletedTeamId: teamId, broker } = this.universe;
    if (teamId === null) return;
    type File = { id: string; is_later: number };
    const files = store.rows<File>(
      "select id, live_from > (select max(version) from erasures) as is_later from segments where state = 'live'",
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
    if (settled !== accepted)
      throw new Violation(`${accepted} of the deleted project were accepted, ${settled} counted`);
  }

  /** Every stored row is an accepted event, as it was sent, and none twice. */
  private checkRows(): void {
    for (const stored of this.rows) {
      const { row, place } = stored;
      const accepted = this.accepted.get(place);
      if (accepted === undefined) throw new Violation(`${place} is stored and was not accepted`);
      const { event, storedAtMs } = accepted;
      for (const key of ["teamId", "uuid", "event", "distinctId", "timestampMs", "flags"] as const) {
        if (row[key] !== event[key]) throw new Violation(`${place}: ${key} is ${row[key]} instead of ${event[key]}`);
      }
      if (row.createdAtMs !== storedAtMs) throw new Violation(`${place}: stored as accepted at ${row.createdAtMs}`);
      const properties = JSON.stringify(this.withGroups(event));
      if (JSON.stringify(JSON.parse(row.properties)) !== properties) {
        throw new Violation(`${place}: properties ${row.properties} instead of ${properties}`);
      }
      const twin = this.byUuid.get(row.uuid);
      if (twin !== undefined) throw new Violation(`${row.uuid} is stored at ${twin.place} and at ${place}`);
      this.byUuid.set(row.uuid, stored);
    }
  }

  private withGroups(event: AcceptedEvent): JsonObject {
    const properties = JSON.parse(event.properties) as JsonObject;
    for (const [type, key] of Object.entries((properties.$groups ?? {}) as JsonObject)) {
      for (let index = 0; index < 5; index++) {
        if (this.groupTypes.get(`${event.teamId}/${index}`) === type) properties[`$group_${index}`] = key;
      }
    }
    return properties;
  }

  /** Every accepted event is stored, a copy of a stored one, or set aside for a reason that it gave. */
  private checkOutcomes(): void {
    const totals = new Map<string, number>();
    const count = (teamId: number, outcome: string) => {
      const key = `${teamId}/${outcome}`;
      totals.set(key, (totals.get(key) ?? 0) + 1);
    };
    const setAside = new Set<string>();
    const dropped = new Set<string>();
    for (const [place, { event }] of this.accepted) if (this.deadLetters.has(place)) setAside.add(event.uuid);
    for (const [place, { event, lane, isCorrupt }] of this.accepted) {
      const reason = this.deadLetters.get(place);
      if (reason !== undefined) this.checkReason(place, reason, event, isCorrupt);
      if (lane === "identity") continue;
      const stored = this.byUuid.get(event.uuid);
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
    for (const { counts, isLost, lane } of this.universe.broker.accepted) {
      if (isLost || lane === "identity") continue;
      for (const { teamId, dropped } of counts.filter(this.isKept)) {
        for (let n = dropped.missing_event_name ?? 0; n > 0; n--) count(teamId, "dropped");
      }
    }
    this.compareTotals(totals);
    const queued = this.universe.store.rows<{ n: number }>("select coalesce(sum(events), 0) as n from merging");
    if (queued[0]!.n !== 0) throw new Violation(`${queued[0]!.n} events wait for merges that have happened`);
  }

  private compareTotals(totals: ReadonlyMap<string, number>): void {
    type Count = { team_id: number; outcome: string; n: number };
    const counted = new Map(
      this.universe.store
        .rows<Count>("select team_id, outcome, sum(events) as n from settled_counts group by team_id, outcome")
        .filter(({ team_id: teamId }) => this.isKept({ teamId }))
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

  private checkReason(place: string, reason: string, event: AcceptedEvent, isCorrupt: boolean): void {
    if (isCorrupt ? reason === "corrupt_frame" : reason === poisonReason(event)) return;
    if (reason === "killed_the_worker" && this.universe.observer.suspects.has(place)) return;
    throw new Violation(`${place} ${event.event} was set aside as ${reason}`);
  }

  /** What a client was told is accepted was. */
  private checkAcknowledged(): void {
    const accepted = new Set(this.universe.broker.accepted.flatMap(({ events }) => events.map(({ uuid }) => uuid)));
    for (const event of this.clients.flatMap(({ acknowledged }) => acknowledged.flatMap(({ events }) => events))) {
      if (!accepted.has(event.uuid)) throw new Violation(`${event.uuid} was acknowledged and not accepted`);
    }
  }

  /** What a client sent first, and was told is accepted, is stored first. */
  private checkOrder(): void {
    // Of an event that was set aside (with another that killed the worker, say) a later copy may be the stored one.
    const setAside = new Set([...this.deadLetters.keys()].map((place) => this.accepted.get(place)?.event.uuid));
    for (const lane of ["live", "history"] as const) {
      for (const { acknowledged } of this.clients) {
        const last = new Map<string, { at: number; place: string }>();
        for (const event of acknowledged.flatMap((request) => (request.lane === lane ? request.events : []))) {
          const stored = this.byUuid.get(event.uuid);
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
  private checkPersonIds(): void {
    const byId = new Map<string, string>();
    const byPerson = new Map<string, string>();
    const note = (teamId: number, distinctId: string, personId: string) => {
      const id = `${teamId}/${distinctId}`;
      if ((byId.get(id) ?? personId) !== personId) throw new Violation(`${id} has two persons`);
      if ((byPerson.get(personId) ?? id) !== id) throw new Violation(`${personId} has two ids`);
      byId.set(id, personId);
      byPerson.set(personId, id);
    };
    for (const { row } of this.rows) note(row.teamId, row.distinctId, row.personId);
    for (const row of this.log) {
      if (row.kind === "identity") note(row.teamId, row.distinctId, row.personId);
      else if (row.subject.type === "person") note(row.teamId, row.subject.distinctId, row.subject.personId);
    }
  }

  private checkUsage(): void {
    const found = new Map<string, number>();
    const count = (teamId: number, day: number, kind: string) => {
      const key = `${teamId}/${day}/${kind}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    };
    for (const { place } of this.rows) {
      const { event, lane, storedAtMs } = this.accepted.get(place)!;
      const day = Math.floor(storedAtMs / DAY_MS);
      count(event.teamId, day, lane === "history" ? "historical" : "billable");
      if (lane === "history" && storedAtMs - event.timestampMs < 2 * DAY_MS)
        count(event.teamId, day, "historical_recent");
    }
    type Usage = { team_id: number; day: number; kind: string; events: number };
    const counted = this.universe.store
      .rows<Usage>("select team_id, day, kind, events from usage_counts")
      .filter(({ team_id: teamId }) => this.isKept({ teamId }));
    same(
      "usage",
      Object.fromEntries(found),
      Object.fromEntries(counted.map((u) => [`${u.team_id}/${u.day}/${u.kind}`, u.events])),
    );
  }

  /** The probe has counted each stored event of an id once. */
  private checkStates(): void {
    const found: Record<string, number> = {};
    for (const { row } of this.rows) {
      const key = `${row.teamId}/${row.distinctId}`;
      found[key] = (found[key] ?? 0) + 1;
    }
    type State = { team_id: number; distinct_id: string; state: string };
    const states = this.universe.store
      .rows<State>("select team_id, distinct_id, state from actor_states")
      .filter(({ team_id: teamId }) => this.isKept({ teamId }));
    same("states", found, Object.fromEntries(states.map((s) => [`${s.team_id}/${s.distinct_id}`, Number(s.state)])));
  }

  /** Each message has arrived, none was invented, and first arrivals are in the order of their sources. */
  private checkMessages(): void {
    const expected = this.rows.filter(({ row }) => row.event === NOTIFIES).map(({ row }) => row.uuid);
    const byUuid = new Map<string, string>();
    const last = new Map<string, number>();
    for (const { messageId, body, partition } of this.receiver.arrived) {
      const { uuid } = JSON.parse(body) as { uuid: string };
      if (this.deletedUuids.has(uuid)) continue;
      const known = byUuid.get(uuid);
      if (known !== undefined) {
        if (known !== messageId) throw new Violation(`two messages for ${uuid}: ${known} and ${messageId}`);
        continue;
      }
      byUuid.set(uuid, messageId);
      const stored = this.byUuid.get(uuid);
      if (stored === undefined) throw new Violation(`a message for ${uuid}, which is not stored`);
      const line = `${stored.generation}/${stored.row.lane}/${partition}`;
      if ((last.get(line) ?? 0) >= stored.row.ordinal) throw new Violation(`message ${messageId} comes out of order`);
      last.set(line, stored.row.ordinal);
    }
    for (const uuid of expected) if (!byUuid.has(uuid)) throw new Violation(`the message for ${uuid} never came`);
  }

  private checkPersons(): void {
    const frames = this.universe.broker.accepted.filter((frame) => !frame.isLost);
    const below = this.universe.faults.of("broker clock set back") > 0 ? null : findBelowItsMerge(frames);
    if (below !== null) throw new Violation(`${below} stands below its own merge`);
    const isStored = (place: string): boolean => {
      const accepted = this.accepted.get(place);
      if (accepted === undefined) return false;
      const { event, lane, isCorrupt } = accepted;
      if (this.deadLetters.has(place) || isCorrupt) return false;
      return lane === "identity" || this.byUuid.get(event.uuid)?.place === place;
    };
    const model = playModel(frames, this.sent, isStored);
    for (const teamId of new Set([...model.keys(), ...this.log.map((row) => row.teamId)])) {
      if (!this.isKept({ teamId })) continue;
      const typeOf = (index: number) => this.groupTypes.get(`${teamId}/${index}`) ?? `unknown ${index}`;
      const folded = foldLog(
        this.log.filter((row) => row.teamId === teamId),
        typeOf,
      );
      const unsetKeys = this.log.flatMap((row) => (row.kind === "property" && row.op === "unset" ? row.key : []));
      this.comparePersons(teamId, model.get(teamId) ?? { persons: [], groups: {} }, folded, new Set(unsetKeys));
    }
  }

  private comparePersons(teamId: number, should: ModelTeam, is: ModelTeam, unsetKeys: ReadonlySet<string>): void {
    same(`groups of project ${teamId}`, should.groups, is.groups);
    const byIds = (team: ModelTeam) =>
      Object.fromEntries(team.persons.map((p) => [p.ids.join(", "), comparable(p, unsetKeys)]));
    same(`persons of project ${teamId}`, byIds(should), byIds(is));
  }
}

/**
 * What must be equal. `$browser` is one of the keys that change with nearly every event: while it is there its value may be
 * an older one (engine rule 11), and once it has been unset it may be missing, as may its first value.
 */
function comparable(person: ModelPerson, unsetKeys: ReadonlySet<string>): ModelPerson {
  const properties = { ...person.properties };
  if ("$browser" in properties) properties.$browser = "some";
  for (const key of ["$browser", "$initial_browser"]) if (unsetKeys.has(key)) delete properties[key];
  return { ...person, properties };
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

/** Throws where two objects differ, whatever the order of their keys. */
function same(what: string, should: object, is: object): void {
  const [a, b] = [sorted(should), sorted(is)];
  if (a !== b) throw new Violation(`${what}:\nshould be ${a}\nis        ${b}`);
}

function sorted(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
