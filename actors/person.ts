import { automaticOfInitial, automaticOfKey, type PersonChanges, personChanges } from "../src/properties/mod.ts";
import { type Actor, type Delivered, type Known, type KnownPerson, stateKey } from "../src/runtime/actor.ts";
import {
  compareVersions,
  EventFlag,
  type LogRow,
  type PropertyRow,
  personIdOf,
  type Subject,
  type Version,
} from "../src/types/mod.ts";

/** They are about the person, so that everything they say is written. */
const ABOUT_PERSONS = new Set(["$identify", "$create_alias", "$merge_dangerously", "$set"]);

/**
 * Writes down what events say of their persons: that they exist, and their properties. Of one batch at most one row for
 * each distinct_id, key and kind of operation, each a minimum or maximum by version, so that batching changes nothing
 * (protocol rules 18-20). Rows that would tell nothing new are left out by what is known (engine rule 11).
 */
export const personActor: Actor = {
  name: "person",
  step(batch, known) {
    const said = new Map<string, PersonLog>();
    for (const at of batch) {
      if (at.event.flags & EventFlag.Personless) continue;
      take(at, known, said);
    }
    const log: LogRow[] = [];
    for (const person of said.values()) person.rows(log);
    return { log };
  },
};

function take(at: Delivered, known: Known, said: Map<string, PersonLog>): void {
  const { event, version } = at;
  const key = stateKey(event);
  const before = known.person(event.teamId, event.distinctId);
  let person = said.get(key);
  const open = (): PersonLog => {
    person ??= new PersonLog(at);
    said.set(key, person);
    return person;
  };
  if (before === null || compareVersions(version, before.seen) < 0) open().see(event.timestampMs, version);
  const changes = personChanges(event);
  const isTold = ABOUT_PERSONS.has(event.event) || changes.unset.length > 0 || saysMore(changes);
  for (const { property, value } of changes.automatic) {
    if (!changes.set.has(property.key) && (isTold || !isOldNews(property, before, person))) {
      open().set(property.key, value, version);
    }
    if (!changes.once.has(property.initialKey) && before?.hasOnce(property.number, version) !== true) {
      open().once(property.initialKey, value, version);
    }
  }
  for (const [name, value] of changes.set) open().set(name, value, version);
  for (const [name, value] of changes.once) if (!isKnownOnce(name, before, version)) open().once(name, value, version);
  for (const name of changes.unset) open().unset(name, version);
}

/** Whether the client sets something besides what changes with every event. */
function saysMore(changes: PersonChanges): boolean {
  for (const name of changes.set.keys()) if (automaticOfKey(name)?.isNoise !== true) return true;
  return false;
}

function isOldNews(
  property: PersonChanges["automatic"][number]["property"],
  before: KnownPerson | null,
  person: PersonLog | undefined,
): boolean {
  return property.isNoise && (before?.hasSet(property.number) === true || person?.hasSet(property.key) === true);
}

function isKnownOnce(name: string, before: KnownPerson | null, version: Version): boolean {
  const property = before === null ? undefined : automaticOfInitial(name);
  return property !== undefined && before!.hasOnce(property.number, version);
}

interface Entry {
  value: string;
  version: Version;
}

/** What a batch says of one distinct_id, reduced. */
class PersonLog {
  private readonly teamId: number;
  private readonly subject: Subject;
  private seen: { atMs: number; version: Version } | null = null;
  private readonly sets = new Map<string, Entry>();
  private readonly unsets = new Map<string, Entry>();
  private readonly firstOnce = new Map<string, Entry>();
  private readonly lastOnce = new Map<string, Entry>();

  constructor({ event: { teamId, distinctId } }: Delivered) {
    this.teamId = teamId;
    this.subject = { type: "person", distinctId, personId: personIdOf(teamId, distinctId) };
  }

  see(atMs: number, version: Version): void {
    if (this.seen === null || compareVersions(version, this.seen.version) < 0) this.seen = { atMs, version };
  }

  hasSet(key: string): boolean {
    return this.sets.has(key);
  }

  set(key: string, value: string, version: Version): void {
    keepNewest(this.sets, key, { value, version });
  }

  unset(key: string, version: Version): void {
    keepNewest(this.unsets, key, { value: "", version });
  }

  once(key: string, value: string, version: Version): void {
    const first = this.firstOnce.get(key);
    if (first === undefined || compareVersions(version, first.version) < 0) this.firstOnce.set(key, { value, version });
    keepNewest(this.lastOnce, key, { value, version });
  }

  rows(into: LogRow[]): void {
    const { teamId, subject, seen } = this;
    if (seen !== null) into.push({ kind: "seen", teamId, subject, ...seen });
    const put = (op: PropertyRow["op"], key: string, entry: Entry): void => {
      into.push({ kind: "property", teamId, subject, op, key, value: entry.value, version: entry.version });
    };
    for (const [key, entry] of this.sets) put("set", key, entry);
    for (const [key, entry] of this.unsets) put("unset", key, entry);
    for (const [key, entry] of this.firstOnce) put("once", key, entry);
    for (const [key, entry] of this.lastOnce) {
      if (entry.version !== this.firstOnce.get(key)!.version) put("once", key, entry);
    }
  }
}

function keepNewest(entries: Map<string, Entry>, key: string, entry: Entry): void {
  const known = entries.get(key);
  if (known === undefined || compareVersions(entry.version, known.version) > 0) entries.set(key, entry);
}
