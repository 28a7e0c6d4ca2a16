import { AUTOMATIC, automaticOfInitial, automaticOfKey, Bits, eachMember, keyText } from "../properties/mod.ts";
import {
  compareVersions,
  type FirstRow,
  type LogRow,
  type PersonSubject,
  type PropertyRow,
  type Version,
} from "../types/mod.ts";
import type { KnownPerson } from "./actor.ts";

if (AUTOMATIC.length > 64) throw new Error("automatic properties no longer fit into the cache's bits");

/** What is known of one person, small: two bits a property. */
class Entry implements KnownPerson {
  readonly sets = new Bits();
  private readonly onces = new Bits();
  /** All first values that are known were written at or before it. */
  private onceVersion: Version;

  constructor(
    readonly personId: string,
    public seen: Version,
  ) {
    this.onceVersion = seen;
  }

  hasSet(number: number): boolean {
    return this.sets.has(number);
  }

  hasOnce(number: number, version: Version): boolean {
    return this.onces.has(number) && compareVersions(version, this.onceVersion) >= 0;
  }

  hasAll(numbers: Bits, version: Version): boolean {
    return (
      this.sets.includes(numbers) && this.onces.includes(numbers) && compareVersions(version, this.onceVersion) >= 0
    );
  }

  /** First values that an event has told: where they are all that are known, none of those was written later than it. */
  noteOnces(numbers: Bits, version: Version): void {
    const isAll = numbers.includes(this.onces);
    const isNews = !this.onces.includes(numbers);
    const age = compareVersions(version, this.onceVersion);
    if ((isAll && age < 0) || (isNews && age > 0)) this.onceVersion = version;
    this.onces.addAll(numbers);
  }

  forget(set: number | undefined, once: number | undefined): void {
    if (set !== undefined) this.sets.delete(set);
    if (once !== undefined) this.onces.delete(once);
  }
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
    // Rows of a person stand together.
    let last: PersonSubject | null = null;
    let entry: Entry | undefined;
    for (const row of log) {
      if (row.kind === "identity" || row.subject.type !== "person") continue;
      const { teamId, subject } = row;
      if (subject !== last) entry = this.find(teamId, subject.distinctId);
      last = subject;
      if (row.kind === "seen") {
        if (entry === undefined) {
          entry = new Entry(subject.personId, row.version);
          this.put(teamId, subject.distinctId, entry);
        } else if (compareVersions(row.version, entry.seen) < 0) entry.seen = row.version;
      } else if (entry === undefined) continue;
      else if (row.kind === "property") learn(entry, row);
      else learnFirst(entry, row);
    }
    // Last: rows of one commit stand in no order, and what was not unset after all is only written once more.
    for (const row of log) {
      if (row.kind !== "property" || row.op !== "unset" || row.subject.type !== "person") continue;
      const [set, once] = [automaticOfKey(row.key)?.number, automaticOfInitial(row.key)?.number];
      if (set === undefined && once === undefined) continue;
      this.find(row.teamId, row.subject.distinctId)?.forget(set, once);
    }
  }

  /** Persons of a project that were deleted: what they say is news again. */
  forget(teamId: number, personIds: ReadonlySet<string>): void {
    for (const half of [this.entries, this.older]) {
      const team = half.get(teamId);
      for (const [distinctId, entry] of team ?? []) if (personIds.has(entry.personId)) team?.delete(distinctId);
    }
  }

  /** Two halves, so that forgetting costs nothing: what is used moves to the young one. */
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
    const team = this.entries.get(teamId);
    if (team === undefined) this.entries.set(teamId, new Map([[distinctId, entry]]));
    else team.set(distinctId, entry);
    this.count++;
  }
}

function learnFirst(entry: Entry, { kind, values, version }: FirstRow): void {
  const numbers = new Bits();
  eachMember(values, (keyStart, keyEnd) => numbers.add(automaticOfKey(keyText(values, keyStart, keyEnd))!.number));
  if (kind === "first") entry.sets.addAll(numbers);
  entry.noteOnces(numbers, version);
}

function learn(entry: Entry, row: PropertyRow): void {
  const set = automaticOfKey(row.key)?.number;
  const once = automaticOfInitial(row.key)?.number;
  if (row.op === "set" && set !== undefined) entry.sets.add(set);
  else if (row.op === "once" && once !== undefined) {
    const numbers = new Bits();
    numbers.add(once);
    entry.noteOnces(numbers, row.version);
  }
}
