import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseExact, stringifyExact } from "../exact.ts";
import type { First, ImportedEvent } from "../types.ts";
import { Buckets, bucketOf } from "./buckets.ts";

const BUCKETS = 64;
/** Keys that are remembered before they are written. */
const KEYS_MAX = 50_000;
const EXAMPLES_MAX = 20;

/** A key's event at the earliest time so far. */
interface Candidate {
  key: string;
  atMs: number;
  event: First["event"];
  link?: First["link"];
}

export interface FirstsSummary {
  /** Events that are to be sent. */
  events: number;
  /** Of them: those that connect a device and a user. */
  links: number;
  /** Devices with more users than allowed, and the first of them. */
  sharedDevices: number;
  sharedExamples: { device: string; users: string[] }[];
}

/** Groups the firsts that rows ask for. */
export class FirstFinder {
  private readonly buckets: Buckets;
  private young = new Map<string, Candidate>();

  constructor(private readonly folder: string) {
    rmSync(folder, { recursive: true, force: true });
    this.buckets = new Buckets(join(folder, "asked"), BUCKETS);
  }

  add(first: First): void {
    const known = this.young.get(first.key);
    if (known === undefined) {
      if (this.young.size >= KEYS_MAX) this.flush();
      const { key, atMs, event, link } = first;
      this.young.set(key, { key, atMs, event, ...(link !== undefined && { link }) });
    } else if (first.atMs < known.atMs) known.atMs = first.atMs;
  }

  private flush(): void {
    for (const candidate of this.young.values()) {
      // All that connects a device is in one bucket.
      const bucket = bucketOf(candidate.link === undefined ? candidate.key : candidate.link.device, BUCKETS);
      this.buckets.addText(bucket, `${stringifyExact(candidate)}\n`);
    }
    this.young = new Map();
  }

  /** Writes the events, a line each. `usersMax`: users of a device that may be connected to it. */
  finish(usersMax: number): FirstsSummary {
    this.flush();
    this.buckets.finish();
    const path = firstsPath(this.folder);
    writeFileSync(path, "");
    const summary: FirstsSummary = { events: 0, links: 0, sharedDevices: 0, sharedExamples: [] };
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const earliest = earliestOf(this.buckets.read(bucket).toString());
      const users = usersOf(earliest.values());
      for (const [device, names] of users) {
        if (names.size <= usersMax) continue;
        summary.sharedDevices++;
        if (summary.sharedExamples.length < EXAMPLES_MAX)
          summary.sharedExamples.push({ device, users: [...names].slice(0, 3) });
      }
      const lines: string[] = [];
      for (const { atMs, event, link } of earliest.values()) {
        if (link !== undefined && users.get(link.device)!.size > usersMax) continue;
        summary.events++;
        if (link !== undefined) summary.links++;
        const dated: ImportedEvent = { ...event, timestamp: new Date(atMs).toISOString() };
        lines.push(`${stringifyExact(dated)}\n`);
      }
      appendFileSync(path, lines.join(""));
    }
    this.buckets.remove();
    return summary;
  }
}

/** The file of a folder in which the events are, JSON a line. */
export const firstsPath = (folder: string): string => join(folder, "firsts.jsonl");

function earliestOf(text: string): Map<string, Candidate> {
  const earliest = new Map<string, Candidate>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const candidate = parseExact(line) as unknown as Candidate;
    const known = earliest.get(candidate.key);
    if (known === undefined) earliest.set(candidate.key, candidate);
    else if (candidate.atMs < known.atMs) known.atMs = candidate.atMs;
  }
  return earliest;
}

function usersOf(candidates: Iterable<Candidate>): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  for (const { link } of candidates) {
    if (link === undefined) continue;
    const names = users.get(link.device) ?? new Set();
    users.set(link.device, names.add(link.user));
  }
  return users;
}
