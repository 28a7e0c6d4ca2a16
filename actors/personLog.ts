import { type AutomaticProperty, automaticOfInitial, isPlainValue } from "../src/persons/mod.ts";
import {
  Bits,
  compareVersions,
  type LogRow,
  MAX_ONCES,
  type PersonSubject,
  type PropertyRow,
  personIdOf,
  VERSION_SOURCE,
  type Version,
} from "../src/types/mod.ts";
import type { Delivered } from "./contract.ts";

interface Entry {
  value: string;
  version: Version;
}

/** The rows of a batch about one distinct_id, reduced to those that count. */
export class PersonLog {
  private readonly teamId: number;
  private readonly subject: PersonSubject;
  private seen: { atMs: number; version: Version } | null = null;
  /** The properties of the first event, which for most persons are nearly all: kept as text at once. */
  private first: { version: Version; numbers: Bits; members: string } | null = null;
  private readonly sets = new Map<string, Entry>();
  private readonly unsets = new Map<string, Entry>();
  /** By version, oldest first. */
  private readonly onces = new Map<string, Entry[]>();
  /** Properties that one event both sets and unsets, which is rare. */
  private turned: { op: PropertyRow["op"]; key: string; entry: Entry }[] | null = null;

  constructor({ event: { teamId, distinctId } }: Delivered) {
    this.teamId = teamId;
    this.subject = { type: "person", distinctId, personId: personIdOf(teamId, distinctId) };
  }

  see(atMs: number, version: Version): void {
    if (this.seen === null || compareVersions(version, this.seen.version) < 0) this.seen = { atMs, version };
  }

  /** Whether there is no row about its properties. */
  get isNew(): boolean {
    return this.first === null && this.sets.size === 0 && this.onces.size === 0 && !this.hasUnsets;
  }

  /** Whether an event of this version need not set it again; rows from history count for history only. */
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

  /** Whether there is a first value already that is not later than `version`. */
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
