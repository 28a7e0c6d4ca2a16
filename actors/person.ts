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
  MAX_ONCES,
  type PersonSubject,
  type PropertyRow,
  personIdOf,
  VERSION_SOURCE,
  type Version,
} from "../src/types/mod.ts";

/** They are about the person, so that everything they say is written. */
const ABOUT_PERSONS = new Set(["$identify", "$create_alias", "$merge_dangerously", "$set"]);
/** Events that say nothing of the properties of a person (reference: capture, 3.2). */
const WITHOUT_PROPERTIES = new Set(["$exception", "$$heatmap", "$groupidentify"]);
/** Events whose own properties do not describe the person (reference: capture, 2.4). */
const WITHOUT_AUTOMATIC = new Set(["$snapshot", "$performance_event"]);

/**
 * Writes down what events say of their persons: that they exist, and their properties. Of one batch only what a reader hears
 * of each distinct_id and key, chosen by version, so that batching changes nothing (protocol rules 18-20). Rows that would
 * tell nothing new are left out by what is known (engine rule 11).
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
    let team = this.teams.get(teamId);
    if (team === undefined) {
      team = new Map();
      this.teams.set(teamId, team);
    }
    let person = team.get(distinctId);
    if (person === undefined) {
      person = new PersonLog(at);
      team.set(distinctId, person);
    }
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
  const unset = scan.told(2) === "" ? NO_KEYS : unsetKeys(scan.told(2));
  const isTold = ABOUT_PERSONS.has(event.event) || unset.length > 0 || saysMore(set);
  if (!WITHOUT_AUTOMATIC.has(event.event)) takeAutomatic(at, persons, scan, { before, set, once, unset, isTold });
  for (const [name, value] of set) persons.open(at).say("set", name, { value, version }, unset);
  for (const [name, value] of once) {
    const initial = automaticOfInitial(name);
    const isKnown = initial !== undefined && before?.hasOnce(initial.number, version) === true;
    if (!isKnown || persons.find(at)?.hasUnset(name) === true) {
      persons.open(at).say("once", name, { value, version }, unset);
    }
  }
  for (const name of unset) persons.open(at).unset(name, version);
}

const NONE: ReadonlyMap<string, string> = new Map();
const NO_KEYS: readonly string[] = [];

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
    unset: readonly string[];
    /** Also what changes with every event is to be written. */
    isTold: boolean;
  },
): void {
  const { version } = at;
  const { before, set, once, unset } = told;
  // Most events: all is known, and nothing in it would be told again.
  if (scan.isNoise && !told.isTold && set.size === 0 && before?.hasAll(scan.numbers, version) === true) {
    if (persons.find(at)?.hasUnsets !== true) return;
  }
  const person = persons.find(at);
  const isFirst = (before === null || before.isNew(version)) && (person?.isNew ?? true) && unset.length === 0;
  for (let i = 0; i < scan.count; i++) {
    const property = scan.property(i);
    const { number, key, initialKey, isNoise } = property;
    if (isFirst && !set.has(key) && !once.has(initialKey) && isPlainValue(scan.value(i))) {
      persons.open(at).tellFirst(property, scan.value(i), version);
      continue;
    }
    // What this batch unsets is not there any more, whatever was known of it.
    const hasSet =
      person?.hasUnset(key) !== true &&
      (before?.hasSet(number, version) === true || person?.hasSet(property, version) === true);
    const isOldNews = isNoise && !told.isTold && hasSet;
    if (!isOldNews && !set.has(key)) persons.open(at).say("set", key, { value: scan.value(i), version }, unset);
    const isKnown = before?.hasOnce(number, version) === true || person?.hasOnce(property, version) === true;
    if ((!isKnown || person?.hasUnset(initialKey) === true) && !once.has(initialKey))
      persons.open(at).say("once", initialKey, { value: scan.value(i), version }, unset);
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
  /** By version, oldest first. */
  private readonly onces = new Map<string, Entry[]>();
  /** What one event both says and unsets; hardly anybody does. */
  private turned: { op: PropertyRow["op"]; key: string; entry: Entry }[] | null = null;

  constructor({ event: { teamId, distinctId } }: Delivered) {
    this.teamId = teamId;
    this.subject = { type: "person", distinctId, personId: personIdOf(teamId, distinctId) };
  }

  see(atMs: number, version: Version): void {
    if (this.seen === null || compareVersions(version, this.seen.version) < 0) this.seen = { atMs, version };
  }

  /** Whether nothing was said of its properties. */
  get isNew(): boolean {
    return this.first === null && this.sets.size === 0 && this.onces.size === 0 && !this.hasUnsets;
  }

  /** Whether an event of this version need not say it again; what history said counts for history only. */
  hasSet({ key, number }: AutomaticProperty, version: Version): boolean {
    const { first } = this;
    if (first?.numbers.has(number) === true && isHeardBy(first.version, version)) return true;
    const set = this.sets.get(key);
    return set !== undefined && isHeardBy(set.version, version);
  }

  get hasUnsets(): boolean {
    return this.unsets.size > 0 || this.turned !== null;
  }

  hasUnset(key: string): boolean {
    return this.unsets.has(key) || this.turned?.some((one) => one.key === key) === true;
  }

  /** Whether a first value not later than `version` stands already. */
  hasOnce({ initialKey, number }: AutomaticProperty, version: Version): boolean {
    const { first } = this;
    if (first?.numbers.has(number) === true && isToldBefore(first.version, version)) return true;
    return this.onces.get(initialKey)?.some((once) => isToldBefore(once.version, version)) === true;
  }

  /** Of the person's first event in the batch: sets the property, and its first value. */
  tellFirst({ key, number }: AutomaticProperty, value: string, version: Version): void {
    this.first ??= { version, numbers: new Bits(), members: "" };
    this.first.numbers.add(number);
    this.first.members += `${this.first.members === "" ? "" : ","}"${key}":${value}`;
  }

  /** `unset`: keys that the same event unsets. */
  say(op: "set" | "once", key: string, entry: Entry, unset: readonly string[]): void {
    if (unset.length > 0 && unset.includes(key)) this.turn(op, key, entry);
    else if (op === "set") keepNewest(this.sets, key, entry);
    else this.once(key, entry);
  }

  unset(key: string, version: Version): void {
    const entry = { value: "", version };
    const isTurned = this.turned?.some((one) => one.key === key && one.entry.version === version);
    if (isTurned === true) this.turn("unset", key, entry);
    else keepNewest(this.unsets, key, entry);
  }

  private turn(op: PropertyRow["op"], key: string, entry: Entry): void {
    this.turned ??= [];
    this.turned.push({ op, key, entry });
  }

  private once(key: string, entry: Entry): void {
    const known = this.onces.get(key);
    if (known === undefined) {
      this.onces.set(key, [entry]);
      return;
    }
    let at = known.length;
    while (at > 0 && compareVersions(entry.version, known[at - 1]!.version) < 0) at--;
    known.splice(at, 0, entry);
    if (known.length < 3) return;
    if (!this.hasUnset(key)) {
      // Automatic ones are told again and again, and what is known of them is left out anyway.
      const needless = automaticOfInitial(key) === undefined ? insideRun(known, at) : 1;
      if (needless !== -1) known.splice(needless, 1);
    }
    if (known.length <= MAX_ONCES) return;
    const left = known.filter((once) => this.isLeft(key, once));
    if (left.length > MAX_ONCES) left.splice(-2, 1);
    this.onces.set(key, left);
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
    const hasUnsets = this.unsets.size > 0;
    for (const [key, entry] of this.sets) {
      if (!hasUnsets || isAfter(entry, this.unsets.get(key))) put("set", key, entry);
    }
    for (const [key, entry] of this.unsets) if (isAfter(entry, this.sets.get(key))) put("unset", key, entry);
    const earlier = new Map<Version, string>();
    for (const [key, entries] of this.onces) {
      const automatic = automaticOfInitial(key);
      for (const entry of entries) {
        if (!this.isLeft(key, entry)) continue;
        if (automatic === undefined || !isPlainValue(entry.value)) put("once", key, entry);
        else addMember(earlier, entry.version, `"${automatic.key}":${entry.value}`);
      }
    }
    for (const [version, members] of earlier) {
      into.push({ kind: "earlier", teamId, subject, version, values: `{${members}}` });
    }
    for (const { op, key, entry } of this.turned ?? []) if (this.isLeft(key, entry)) put(op, key, entry);
  }

  /** Whether it is newer than what was set and unset. */
  private isLeft(key: string, entry: Entry): boolean {
    return isAfter(entry, this.sets.get(key)) && isAfter(entry, this.unsets.get(key));
  }
}

/** Where a first value stands between two equal ones, near `at`; -1 when none does. */
function insideRun(onces: readonly Entry[], at: number): number {
  for (let i = Math.max(1, at - 1); i <= at + 1 && i < onces.length - 1; i++) {
    const { value } = onces[i]!;
    if (onces[i - 1]!.value === value && onces[i + 1]!.value === value) return i;
  }
  return -1;
}

/** Whether what was told at one version need not be told at the other. */
function isHeardBy(known: Version, version: Version): boolean {
  return known.source >= VERSION_SOURCE.live || version.source < VERSION_SOURCE.live;
}

function isToldBefore(known: Version, version: Version): boolean {
  return compareVersions(known, version) <= 0 && isHeardBy(known, version);
}

function isAfter(entry: Entry, other: Entry | undefined): boolean {
  return other === undefined || compareVersions(entry.version, other.version) > 0;
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
