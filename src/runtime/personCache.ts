import type { KnownPerson } from "../../actors/contract.ts";
import { eachMember, keyText } from "../json/mod.ts";
import { AUTOMATIC, automaticOfInitial, automaticOfKey } from "../persons/mod.ts";
import {
  Bits,
  compareVersions,
  type FirstRow,
  type LogRow,
  ownText,
  type PersonSubject,
  type PropertyRow,
  VERSION_SOURCE,
  type Version,
} from "../types/mod.ts";

if (AUTOMATIC.length > 64) throw new Error("automatic properties no longer fit into the cache's bits");

/** Automatic properties of one person that rows have set, in two bits a property. */
class Told {
  readonly sets = new Bits();
  readonly onces = new Bits();

  /** All first values that are known were written at or before `onceVersion`. */
  constructor(public onceVersion: Version) {}

  hasOnce(number: number, version: Version): boolean {
    return this.onces.has(number) && compareVersions(version, this.onceVersion) >= 0;
  }

  hasAll(numbers: Bits, version: Version): boolean {
    return (
      this.sets.includes(numbers) && this.onces.includes(numbers) && compareVersions(version, this.onceVersion) >= 0
    );
  }

  /** First values from one event: where no others are known, none was written later than it. */
  noteOnces(numbers: Bits, version: Version): void {
    const isAll = numbers.includes(this.onces);
    const isNews = !this.onces.includes(numbers);
    const age = compareVersions(version, this.onceVersion);
    if ((isAll && age < 0) || (isNews && age > 0)) this.onceVersion = version;
    this.onces.addAll(numbers);
  }
}

/** Knowledge of one person: here from live events, apart in `history` from the others. */
class Entry extends Told implements KnownPerson {
  private hasLive = false;
  private history: Told | null = null;
  /** Version of the newest unset of an automatic property: values that are not newer may be gone. */
  private unset: Version | null = null;

  constructor(
    readonly personId: string,
    public seen: Version,
  ) {
    super(seen);
  }

  isNew(version: Version): boolean {
    return !this.hasLive && (this.history === null || isLive(version));
  }

  hasSet(number: number, version: Version): boolean {
    return this.sets.has(number) || (this.history !== null && !isLive(version) && this.history.sets.has(number));
  }

  override hasOnce(number: number, version: Version): boolean {
    if (super.hasOnce(number, version)) return true;
    return this.history !== null && !isLive(version) && this.history.hasOnce(number, version);
  }

  override hasAll(numbers: Bits, version: Version): boolean {
    if (super.hasAll(numbers, version)) return true;
    return this.history !== null && !isLive(version) && this.history.hasAll(numbers, version);
  }

  /** Where to note a row of this version; null when an unset may have removed its value. */
  toldAt(version: Version): Told | null {
    if (this.unset !== null && compareVersions(version, this.unset) <= 0) return null;
    if (!isLive(version)) {
      this.history ??= new Told(version);
      return this.history;
    }
    if (!this.hasLive) this.onceVersion = version;
    this.hasLive = true;
    return this;
  }

  forget({ key, version }: PropertyRow): void {
    const [set, once] = [automaticOfKey(key)?.number, automaticOfInitial(key)?.number];
    if (set === undefined && once === undefined) return;
    if (this.unset === null || compareVersions(version, this.unset) > 0) this.unset = version;
    for (const told of [this, this.history]) {
      if (set !== undefined) told?.sets.delete(set);
      if (once !== undefined) told?.onces.delete(once);
    }
  }
}

function isLive({ source }: Version): boolean {
  return source >= VERSION_SOURCE.live;
}

/**
 * What this worker has committed of persons, so that posthog-js's forty properties on every event are written once and
 * not forty times an event (engine rule 11). Bounded: the persons longest not seen are forgotten, and are then written again.
 */
export class PersonCache {
  private entries = new Map<number, Map<string, Entry>>();
  private older = new Map<number, Map<string, Entry>>();
  private count = 0;

  constructor(private readonly maxPersons: number) {}

  person(teamId: number, distinctId: string): KnownPerson | null {
    return this.find(teamId, distinctId) ?? null;
  }

  /** Learns from rows that a commit has made true; never before it (protocol rule 10). */
  adopt(log: readonly LogRow[]): void {
    const unsets = unsetsOf(log);
    // Rows of a person are next to each other.
    let last: PersonSubject | null = null;
    let entry: Entry | undefined;
    for (const row of log) {
      if (row.kind === "identity" || row.subject.type !== "person") continue;
      const { teamId, subject } = row;
      if (subject !== last) {
        entry = this.find(teamId, subject.distinctId);
        if (entry === undefined && row.kind === "seen") {
          entry = new Entry(subject.personId, row.version);
          this.put(teamId, subject.distinctId, entry);
        }
        // First of all: rows of one commit have no order.
        if (unsets !== null) for (const unset of unsets.get(subject) ?? []) entry?.forget(unset);
      }
      last = subject;
      if (entry === undefined) continue;
      if (row.kind === "property") learn(entry, row);
      else if (row.kind !== "seen") learnFirst(entry, row);
      else if (compareVersions(row.version, entry.seen) < 0) entry.seen = row.version;
    }
  }

  /** Persons of a project that were deleted: their properties are news again. */
  forget(teamId: number, personIds: ReadonlySet<string>): void {
    for (const half of [this.entries, this.older]) {
      const team = half.get(teamId);
      for (const [distinctId, entry] of team ?? []) if (personIds.has(entry.personId)) team?.delete(distinctId);
    }
  }

  /** Two halves, so that forgetting costs nothing: an entry that is used moves to the young one. */
  private find(teamId: number, distinctId: string): Entry | undefined {
    const young = this.entries.get(teamId)?.get(distinctId);
    if (young !== undefined) return young;
    const old = this.older.get(teamId)?.get(distinctId);
    if (old !== undefined) this.put(teamId, distinctId, old);
    return old;
  }

  private put(teamId: number, distinctId: string, entry: Entry): void {
    if (this.count >= this.maxPersons / 2) {
      this.older = this.entries;
      this.entries = new Map();
      this.count = 0;
    }
    this.entries.getOrInsertComputed(teamId, () => new Map()).set(ownText(distinctId), entry);
    this.count++;
  }
}

/** What persons unset, by their subjects; null when no row does. */
function unsetsOf(log: readonly LogRow[]): Map<PersonSubject, PropertyRow[]> | null {
  let unsets: Map<PersonSubject, PropertyRow[]> | null = null;
  for (const row of log) {
    if (row.kind !== "property" || row.op !== "unset" || row.subject.type !== "person") continue;
    unsets ??= new Map();
    unsets.getOrInsertComputed(row.subject, () => []).push(row);
  }
  return unsets;
}

function learnFirst(entry: Entry, { kind, values, version }: FirstRow): void {
  const told = entry.toldAt(version);
  if (told === null) return;
  const numbers = new Bits();
  eachMember(values, (keyStart, keyEnd) => numbers.add(automaticOfKey(keyText(values, keyStart, keyEnd))!.number));
  if (kind === "first") told.sets.addAll(numbers);
  told.noteOnces(numbers, version);
}

function learn(entry: Entry, { op, key, version }: PropertyRow): void {
  const number = (op === "set" ? automaticOfKey(key) : op === "once" ? automaticOfInitial(key) : undefined)?.number;
  const told = number === undefined ? null : entry.toldAt(version);
  if (told === null || number === undefined) return;
  if (op === "set") {
    told.sets.add(number);
    return;
  }
  const numbers = new Bits();
  numbers.add(number);
  told.noteOnces(numbers, version);
}
