import {
  type AutomaticProperty,
  automaticOfInitial,
  automaticOfKey,
  Bits,
  isPlainValue,
  membersOf,
  PersonScan,
  unsetKeys,
} from "../src/properties/mod.ts";
import type { Actor, Delivered, Known, KnownPerson } from "../src/runtime/actor.ts";
import {
  compareVersions,
  EventFlag,
  type LogRow,
  type PersonSubject,
  type PropertyRow,
  personIdOf,
  type Version,
} from "../src/types/mod.ts";

/** They are about the person, so that everything they say is written. */
const ABOUT_PERSONS = new Set(["$identify", "$create_alias", "$merge_dangerously", "$set"]);
/** Events that say nothing of the properties of a person (reference: capture, 3.2). */
const WITHOUT_PROPERTIES = new Set(["$exception", "$$heatmap", "$groupidentify"]);
/** Events whose own properties do not describe the person (reference: capture, 2.4). */
const WITHOUT_AUTOMATIC = new Set(["$snapshot", "$performance_event"]);

/**
 * Writes down what events say of their persons: that they exist, and their properties. Of one batch at most one row for
 * each distinct_id, key and kind of operation, each a minimum or maximum by version, so that batching changes nothing
 * (protocol rules 18-20). Rows that would tell nothing new are left out by what is known (engine rule 11).
 */
export const personActor: Actor = {
  name: "person",
  step(batch, known) {
    const persons = new Persons(known);
    const scan = new PersonScan();
    for (const at of batch) if (!(at.event.flags & EventFlag.Personless)) takeEvent(at, persons, scan);
    return { log: persons.rows() };
  },
};

/** What the batch says so far of all its persons, and what was known before. */
class Persons {
  private readonly teams = new Map<number, Map<string, PersonLog>>();

  constructor(private readonly known: Known) {}

  before({ event }: Delivered): KnownPerson | null {
    return this.known.person(event.teamId, event.distinctId);
  }

  find({ event }: Delivered): PersonLog | undefined {
    return this.teams.get(event.teamId)?.get(event.distinctId);
  }

  open(at: Delivered): PersonLog {
    const { teamId, distinctId } = at.event;
    const team = this.teams.get(teamId) ?? new Map<string, PersonLog>();
    const person = team.get(distinctId) ?? new PersonLog(at);
    this.teams.set(teamId, team);
    team.set(distinctId, person);
    return person;
  }

  rows(): LogRow[] {
    const log: LogRow[] = [];
    for (const team of this.teams.values()) for (const person of team.values()) person.rows(log);
    return log;
  }
}

function takeEvent(at: Delivered, persons: Persons, scan: PersonScan): void {
  const { event, version } = at;
  const before = persons.before(at);
  if (before === null || compareVersions(version, before.seen) < 0) persons.open(at).see(event.timestampMs, version);
  if (WITHOUT_PROPERTIES.has(event.event)) return;
  scan.read(event.properties);
  const set = setsOf(at, scan);
  const once = scan.told(1) === "" ? NONE : membersOf(scan.told(1));
  const unset = scan.told(2) === "" ? [] : unsetKeys(scan.told(2));
  const isTold = ABOUT_PERSONS.has(event.event) || unset.length > 0 || saysMore(set);
  if (!WITHOUT_AUTOMATIC.has(event.event)) takeAutomatic(at, persons, scan, { before, set, once, isTold });
  for (const [name, value] of set) persons.open(at).set(name, value, version);
  for (const [name, value] of once) {
    const initial = automaticOfInitial(name);
    const isKnown = initial !== undefined && before?.hasOnce(initial.number, version) === true;
    if (!isKnown || persons.find(at)?.hasUnset(name) === true) {
      persons.open(at).once(name, value, version);
    }
  }
  for (const name of unset) persons.open(at).unset(name, version);
}

const NONE: ReadonlyMap<string, string> = new Map();

/** `$set`, and what an event says by its name alone. */
function setsOf({ event }: Delivered, scan: PersonScan): ReadonlyMap<string, string> {
  const set = scan.told(0) === "" ? NONE : membersOf(scan.told(0));
  if (event.event !== "survey shown" || set.has("$survey_last_seen_date")) return set;
  return new Map(set).set("$survey_last_seen_date", JSON.stringify(new Date(event.timestampMs).toISOString()));
}

/** Whether the client sets something besides what changes with every event. */
function saysMore(set: ReadonlyMap<string, string>): boolean {
  for (const name of set.keys()) if (automaticOfKey(name)?.isNoise !== true) return true;
  return false;
}

/** What the event's own properties say of the person; what the client says in so many words wins over it. */
function takeAutomatic(
  at: Delivered,
  persons: Persons,
  scan: PersonScan,
  told: {
    before: KnownPerson | null;
    set: ReadonlyMap<string, string>;
    once: ReadonlyMap<string, string>;
    /** Also what changes with every event is to be written. */
    isTold: boolean;
  },
): void {
  const { version } = at;
  const { before, set, once } = told;
  // Most events: all is known, and nothing in it would be told again.
  if (scan.isNoise && !told.isTold && set.size === 0 && before?.hasAll(scan.numbers, version) === true) {
    if (persons.find(at)?.hasUnsets !== true) return;
  }
  const person = persons.find(at);
  const isFirst = before === null && (person?.isNew ?? true);
  for (let i = 0; i < scan.count; i++) {
    const property = scan.property(i);
    const { number, key, initialKey, isNoise } = property;
    if (isFirst && !set.has(key) && !once.has(initialKey) && isPlainValue(scan.value(i))) {
      persons.open(at).tellFirst(property, scan.value(i), version);
      continue;
    }
    // What this batch unsets is not there any more, whatever was known of it.
    const hasSet =
      person?.hasUnset(key) !== true && (before?.hasSet(number) === true || person?.hasSet(property) === true);
    const isOldNews = isNoise && !told.isTold && hasSet;
    if (!isOldNews && !set.has(key)) persons.open(at).set(key, scan.value(i), version);
    const isKnown = before?.hasOnce(number, version) === true || person?.hasOnce(property, version) === true;
    if ((!isKnown || person?.hasUnset(initialKey) === true) && !once.has(initialKey))
      persons.open(at).once(initialKey, scan.value(i), version);
  }
}

interface Entry {
  value: string;
  version: Version;
}

/** What a batch says of one distinct_id, reduced. */
class PersonLog {
  private readonly teamId: number;
  private readonly subject: PersonSubject;
  private seen: { atMs: number; version: Version } | null = null;
  /** What the first event told, most of what there is to tell of most persons: kept as text at once. */
  private first: { version: Version; numbers: Bits; members: string } | null = null;
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

  /** Whether nothing was said of its properties. */
  get isNew(): boolean {
    return this.first === null && this.sets.size === 0 && this.unsets.size === 0 && this.firstOnce.size === 0;
  }

  hasSet({ key, number }: AutomaticProperty): boolean {
    return this.first?.numbers.has(number) === true || this.sets.has(key);
  }

  get hasUnsets(): boolean {
    return this.unsets.size > 0;
  }

  hasUnset(key: string): boolean {
    return this.unsets.has(key);
  }

  /** Whether a first value not later than `version` stands already. */
  hasOnce({ initialKey, number }: AutomaticProperty, version: Version): boolean {
    const { first } = this;
    if (first?.numbers.has(number) === true && compareVersions(first.version, version) <= 0) return true;
    const once = this.firstOnce.get(initialKey);
    return once !== undefined && compareVersions(once.version, version) <= 0;
  }

  /** Of the person's first event in the batch: sets the property, and its first value. */
  tellFirst({ key, number }: AutomaticProperty, value: string, version: Version): void {
    this.first ??= { version, numbers: new Bits(), members: "" };
    this.first.numbers.add(number);
    this.first.members += `${this.first.members === "" ? "" : ","}"${key}":${value}`;
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
    if (this.first !== null) {
      const { version, members } = this.first;
      into.push({ kind: "first", teamId, subject, version, values: `{${members}}` });
    }
    const put = (op: PropertyRow["op"], key: string, entry: Entry): void => {
      into.push({ kind: "property", teamId, subject, op, key, value: entry.value, version: entry.version });
    };
    for (const [key, entry] of this.sets) put("set", key, entry);
    for (const [key, entry] of this.unsets) put("unset", key, entry);
    const onces = [...this.firstOnce];
    for (const [key, entry] of this.lastOnce) {
      if (entry.version !== this.firstOnce.get(key)!.version) onces.push([key, entry]);
    }
    const earlier = new Map<Version, string>();
    for (const [key, entry] of onces) {
      const automatic = automaticOfInitial(key);
      if (automatic === undefined || !isPlainValue(entry.value)) put("once", key, entry);
      else addMember(earlier, entry.version, `"${automatic.key}":${entry.value}`);
    }
    for (const [version, members] of earlier) {
      into.push({ kind: "earlier", teamId, subject, version, values: `{${members}}` });
    }
  }
}

/** Versions of one event are one object. */
function addMember(members: Map<Version, string>, version: Version, member: string): void {
  const before = members.get(version);
  members.set(version, before === undefined ? member : `${before},${member}`);
}

function keepNewest(entries: Map<string, Entry>, key: string, entry: Entry): void {
  const known = entries.get(key);
  if (known === undefined || compareVersions(entry.version, known.version) > 0) entries.set(key, entry);
}
