import { membersOf } from "../src/json/mod.ts";
import { automaticOfInitial, automaticOfKey, isPlainValue, PersonScan, unsetKeys } from "../src/persons/mod.ts";
import { compareVersions, EventFlag, type LogRow } from "../src/types/mod.ts";
import type { Actor, Delivered, Known, KnownPerson } from "./contract.ts";
import { PersonLog } from "./personLog.ts";

/** Events that are about the person, so that all their properties of it are written. */
const ABOUT_PERSONS = new Set(["$identify", "$create_alias", "$merge_dangerously", "$set"]);
/** Events that say nothing of the properties of a person (docs/persons.md#what-is-not-written-again). */
const WITHOUT_PROPERTIES = new Set(["$exception", "$$heatmap", "$groupidentify"]);
/** Events whose own properties do not describe the person (docs/persons.md#automatic-properties). */
const WITHOUT_AUTOMATIC = new Set(["$snapshot", "$performance_event"]);

/**
 * Writes down that persons exist, and their properties. Of one batch only the rows that count for a reader, of each distinct_id
 * and key, are kept; versions decide which, so batching changes nothing (protocol rules 18-20). Rows that are known to add
 * nothing are left out (engine rule 11).
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

/** `$set`, and the property that follows from the name of an event. */
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

/** The event's own properties that are properties of the person too; `$set`, `$set_once` and `$unset` win over them. */
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
