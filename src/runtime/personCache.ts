import { AUTOMATIC, automaticOfInitial, automaticOfKey } from "../properties/mod.ts";
import { compareVersions, type LogRow, type Version } from "../types/mod.ts";
import { type KnownPerson, stateKey } from "./actor.ts";

/** A set of small numbers. */
class Bits {
  private low = 0;
  private high = 0;

  has(number: number): boolean {
    return number < 32 ? ((this.low >>> number) & 1) === 1 : ((this.high >>> (number - 32)) & 1) === 1;
  }

  add(number: number): void {
    if (number < 32) this.low |= 1 << number;
    else this.high |= 1 << (number - 32);
  }

  delete(number: number): void {
    if (number < 32) this.low &= ~(1 << number);
    else this.high &= ~(1 << (number - 32));
  }
}

if (AUTOMATIC.length > 64) throw new Error("automatic properties no longer fit into the cache's bits");

/** What is known of one person, small: two bits a property. */
class Entry implements KnownPerson {
  readonly sets = new Bits();
  private readonly onces = new Bits();
  /** All first values that are known were written at or before it. */
  private onceVersion: Version;

  constructor(public seen: Version) {
    this.onceVersion = seen;
  }

  hasSet(number: number): boolean {
    return this.sets.has(number);
  }

  hasOnce(number: number, version: Version): boolean {
    return this.onces.has(number) && compareVersions(version, this.onceVersion) >= 0;
  }

  noteOnce(number: number, version: Version): void {
    this.onces.add(number);
    if (compareVersions(version, this.onceVersion) > 0) this.onceVersion = version;
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
  private entries = new Map<string, Entry>();
  private older = new Map<string, Entry>();

  constructor(private readonly maxPersons: number) {}

  person(teamId: number, distinctId: string): KnownPerson | null {
    return this.find(stateKey({ teamId, distinctId })) ?? null;
  }

  /** Learns from rows that a commit has made true; never before it (protocol rule 10). */
  adopt(log: readonly LogRow[]): void {
    for (const row of log) {
      if (row.kind === "identity" || row.subject.type !== "person") continue;
      const key = stateKey({ teamId: row.teamId, distinctId: row.subject.distinctId });
      const entry = this.find(key);
      if (row.kind === "seen") {
        if (entry === undefined) this.put(key, new Entry(row.version));
        else if (compareVersions(row.version, entry.seen) < 0) entry.seen = row.version;
      } else if (entry !== undefined) learn(entry, row);
    }
  }

  /** Two halves, so that forgetting costs nothing: what is used moves to the young one. */
  private find(key: string): Entry | undefined {
    const young = this.entries.get(key);
    if (young !== undefined) return young;
    const old = this.older.get(key);
    if (old !== undefined) this.put(key, old);
    return old;
  }

  private put(key: string, entry: Entry): void {
    if (this.entries.size >= this.maxPersons / 2) {
      this.older = this.entries;
      this.entries = new Map();
    }
    this.entries.set(key, entry);
  }
}

function learn(entry: Entry, row: Extract<LogRow, { kind: "property" }>): void {
  const set = automaticOfKey(row.key)?.number;
  const once = automaticOfInitial(row.key)?.number;
  if (row.op === "unset") entry.forget(set, once);
  else if (row.op === "set" && set !== undefined) entry.sets.add(set);
  else if (row.op === "once" && once !== undefined) entry.noteOnce(once, row.version);
}
