import { rmSync } from "node:fs";
import type { FirstsSummary } from "../survey/mod.ts";
import type { RejectReason } from "../types.ts";
import type { Counts, RejectExample } from "./counts.ts";
import { FrontRules } from "./frontRules.ts";
import { type Between, Judge } from "./judge.ts";
import { Stats } from "./stats.ts";
import { surveyRows } from "./surveyPass.ts";
import { type Plan, Walk } from "./walk.ts";

const EVENTS_SHOWN = 20;
const NAMES_SHOWN = 50;
/** Measured on two cores, with everything on one machine. */
const EVENTS_PER_SECOND = 25_000;
/** Of the JSON of an event on disk, in compacted files. */
const DISK_SHARE = 0.12;

/** What an import would bring. */
export interface DryRun {
  rows: number;
  /** Whether that is all of them. */
  isSample: boolean;
  events: number;
  /** ISO 8601; null where there are no events. */
  from: string | null;
  to: string | null;
  eventNames: { name: string; events: number }[];
  eventNameCount: number;
  distinctIds: number;
  hasMoreIds: boolean;
  persons: number;
  made: number;
  links: number;
  sharedDevices: number;
  sharedExamples: FirstsSummary["sharedExamples"];
  /** Rows that equal an earlier one. */
  identical: number;
  leftOutBy: Counts["leftOutBy"];
  rejected: number;
  rejectedBy: { reason: RejectReason; rows: number; examples: RejectExample[] }[];
  unusedColumns: { name: string; rows: number }[];
  mixedTypes: { name: string; types: Record<string, number> }[];
  /** Properties that Weir gives a meaning. */
  specialNames: { name: string; events: number }[];
  passedOver: readonly string[];
  expectedSeconds: number;
  expectedDiskBytes: number;
}

export interface DryRunOptions {
  plan: Plan;
  options: unknown;
  between: Between;
  mergesIdentical: boolean;
  deviceUsers: number;
  scratch: string;
  sample: number | undefined;
  signal: AbortSignal;
  tell(rows: number, share: number): void;
}

/** Maps all rows and sends nothing. The scratch folder is removed. */
export async function dryRun(o: DryRunOptions): Promise<DryRun> {
  const { plan, sample } = o;
  const walk = new Walk(plan, o);
  const judge = new Judge(o.options, o.between, new FrontRules());
  const stats = new Stats();
  try {
    const found = await surveyRows({
      ...o,
      ...{ walk, judge, folder: o.scratch },
      look: (rows, i, outcome, json) => stats.look(rows, rows.rows[i]!, outcome, judge.fields, json),
      tell: (counts) => o.tell(counts.rows, walk.readBytes / plan.sizeBytes),
    });
    const share = sample === undefined ? 1 : Math.min(1, Math.max(walk.readBytes, 1) / Math.max(plan.sizeBytes, 1));
    const { counts, firsts } = found;
    const time = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);
    const top = (counted: Map<string, number>, most: number) => [...counted].sort((a, b) => b[1] - a[1]).slice(0, most);
    return {
      rows: found.rows,
      isSample: found.rows === sample,
      events: found.events,
      from: time(stats.fromMs),
      to: time(stats.toMs),
      eventNames: top(stats.events, EVENTS_SHOWN).map(([name, events]) => ({ name, events })),
      eventNameCount: stats.events.size,
      distinctIds: stats.distinctIds,
      hasMoreIds: stats.hasMoreIds,
      persons: counts.persons,
      made: firsts.events,
      links: firsts.links,
      sharedDevices: firsts.sharedDevices,
      sharedExamples: firsts.sharedExamples,
      identical: found.copies,
      leftOutBy: counts.leftOutBy,
      rejected: counts.rejected,
      rejectedBy: (Object.entries(counts.rejectedBy) as [RejectReason, number][])
        .sort((a, b) => b[1] - a[1])
        .map(([reason, rows]) => ({ reason, rows, examples: stats.examples.get(reason) ?? [] })),
      unusedColumns: top(stats.unused, NAMES_SHOWN).map(([name, rows]) => ({ name, rows })),
      mixedTypes: mixedIn(stats),
      specialNames: specialIn(stats),
      passedOver: plan.passedOver.slice(0, NAMES_SHOWN),
      expectedSeconds: Math.ceil(found.events / share / EVENTS_PER_SECOND),
      expectedDiskBytes: Math.ceil((stats.eventBytes / share) * DISK_SHARE),
    };
  } finally {
    rmSync(o.scratch, { recursive: true, force: true });
  }
}

function mixedIn({ types }: Stats): DryRun["mixedTypes"] {
  const mixed: DryRun["mixedTypes"] = [];
  for (const [name, counts] of types) {
    const all = [...counts.values()].reduce((a, b) => a + b, 0);
    const others = all - Math.max(...counts.values());
    if (others > 0) mixed.push({ name, types: Object.fromEntries(counts) });
  }
  return mixed.slice(0, NAMES_SHOWN);
}

function specialIn({ types }: Stats): DryRun["specialNames"] {
  return [...types]
    .filter(([name]) => name.startsWith("$"))
    .map(([name, counts]) => ({ name, events: [...counts.values()].reduce((a, b) => a + b, 0) }))
    .sort((a, b) => b.events - a.events)
    .slice(0, NAMES_SHOWN);
}
