import { dayOf } from "../../types/mod.ts";
import type { LiveSegment } from "../catalog/mod.ts";

export interface CompactionLimits {
  /** A compacted file grows to about this. */
  targetBytes: number;
  /** And to about this much text of wide rows, however small it is when compressed. */
  targetWideBytes: number;
  /** So many files of one tier are merged. */
  fanout: number;
  /** Inputs of one job. */
  jobMaxBytes: number;
}

/** Files of one job: opening more at once gains nothing. */
const JOB_MAX_FILES = 64;
/** Inputs of a job that makes large files of small ones, in target sizes. */
const JOB_OF_SMALL_TARGETS = 2;
/** Large files may overlap in time this many deep before they are merged and split again. */
const OVERLAP_MAX = 8;
/** Shared by small projects. */
export const SHARED = 0;

/** From here on a project has files of its own. */
export const ownBytes = ({ targetBytes }: CompactionLimits): number => targetBytes / 16;

/** What a plan knows beside the files that are free. */
interface PlanView {
  /**
   * Large flushes come in one after the other. Then they wait until they make up a large file, so that each event is merged once
   * instead of twice, and most of it after the import.
   */
  moreToCome?: boolean;
  /** The inputs of jobs under way: a project that fewer of them work for comes first. */
  running?: readonly (readonly LiveSegment[])[];
}

/** Files that may be merged with each other. */
interface Group {
  files: LiveSegment[];
  /** Jobs under way on others of them. */
  jobs: number;
}

/**
 * The files to merge next, or null. Small files first: `fanout` of about the same size become one. Large files
 * are merged only where too many overlap in time; each such merge makes them narrower, so it ends.
 */
export function planJob(
  live: readonly LiveSegment[],
  limits: CompactionLimits,
  { moreToCome = false, running = [] }: PlanView = {},
): LiveSegment[] | null {
  const groups = groupsOf(live, limits, running);
  // Two large files a job: more at once would only take more memory.
  const jobBytes = Math.min(limits.jobMaxBytes, limits.targetBytes * JOB_OF_SMALL_TARGETS);
  const o = { maxWeight: largeWeight(limits), jobWeight: jobBytes, moreToCome };
  return planSmall(groups, limits, o) ?? planLarge(groups, limits);
}

/** While more is to come, files of the log wait until there are so many times more of them. */
const PATIENCE = 2;

/**
 * The same for files of the log. They have no days: a statement reads them all, and merging makes them smaller, so they
 * grow until a job can hold no two of them.
 */
export function planLogJob(
  live: readonly LiveSegment[],
  limits: CompactionLimits,
  { moreToCome = false, running = [] }: PlanView = {},
): LiveSegment[] | null {
  const groups = groupsOf(live, limits, running);
  const o = { maxWeight: limits.jobMaxBytes / 2, jobWeight: limits.jobMaxBytes, moreToCome: false };
  if (moreToCome) return planSmall(groups, { ...limits, fanout: limits.fanout * PATIENCE }, o);
  return planSmall(groups, limits, o) ?? planBase(live, limits);
}

/** The base of a project's log is read without folding it, so it takes in its other files when they are this share of it. */
const BESIDE_BASE_SHARE = 1 / 2;

function planBase(live: readonly LiveSegment[], limits: CompactionLimits): LiveSegment[] | null {
  const own = live.filter((segment) => groupOf(segment, limits) !== SHARED);
  for (const files of Map.groupBy(own, ({ teamId }) => teamId).values()) {
    const [base, ...others] = files.toSorted((a, b) => bytesOf(b) - bytesOf(a));
    if (base === undefined) continue;
    const besideBytes = others.reduce((sum, file) => sum + bytesOf(file), 0);
    if (besideBytes < bytesOf(base) * BESIDE_BASE_SHARE) continue;
    if (isWithinJob(files, limits.jobMaxBytes, limits)) return [base, ...others];
  }
  return null;
}

function groupsOf(
  live: readonly LiveSegment[],
  limits: CompactionLimits,
  running: readonly (readonly LiveSegment[])[],
): Group[] {
  const groups = Map.groupBy(live, (segment) => groupOf(segment, limits));
  return [...groups].map(([group, files]) => {
    const jobs = running.filter((inputs) => inputs.some((input) => groupOf(input, limits) === group));
    return { files, jobs: jobs.length };
  });
}

function groupOf(file: LiveSegment, limits: CompactionLimits): number {
  return file.teamId !== null && bytesOf(file) >= ownBytes(limits) ? file.teamId : SHARED;
}

/** Of the bytes of a segment that has rows in order of person, what it has without them: about so much. */
const WITHOUT_PERSON_ROWS = 0.58;

/** Without the rows in order of person, which not all files have: so equal rows count alike. */
export function bytesOf({ sizeBytes, hasPersonRows }: Pick<LiveSegment, "sizeBytes" | "hasPersonRows">): number {
  return hasPersonRows ? sizeBytes * WITHOUT_PERSON_ROWS : sizeBytes;
}

/** Bytes, or so much more as its wide rows need memory. */
export function weightOf(
  { wideBytes, ...file }: Pick<LiveSegment, "sizeBytes" | "wideBytes" | "hasPersonRows">,
  limits: CompactionLimits,
): number {
  return Math.max(bytesOf(file), (wideBytes * limits.targetBytes) / limits.targetWideBytes);
}

/** From here on a file is merged only because of its days. */
const largeWeight = ({ targetBytes }: CompactionLimits): number => targetBytes / 2;

/** 0 for the smallest, one more for each factor of `fanout`. */
function tierOf(segment: LiveSegment, limits: CompactionLimits): number {
  const baseWeight = limits.targetBytes / 512;
  const weight = weightOf(segment, limits);
  if (weight < baseWeight) return 0;
  return 1 + Math.floor(Math.log(weight / baseWeight) / Math.log(limits.fanout));
}

/** From here on a flush is large: an import brings many of them. */
export const largeFlushBytes = ({ targetBytes }: CompactionLimits): number => targetBytes / 64;

interface SmallJobs {
  /** Of a file that is small. */
  maxWeight: number;
  /** Of a job. */
  jobWeight: number;
  moreToCome: boolean;
}

/** Merges files lighter than `maxWeight`. */
function planSmall(
  groups: readonly Group[],
  limits: CompactionLimits,
  { maxWeight, jobWeight, moreToCome }: SmallJobs,
): LiveSegment[] | null {
  const isWorthIt = (files: readonly LiveSegment[]) =>
    !moreToCome ||
    files.length >= JOB_MAX_FILES ||
    files.every((file) => bytesOf(file) < largeFlushBytes(limits)) ||
    files.reduce((sum, file) => sum + bytesOf(file), 0) >= limits.targetBytes;
  const piles: { jobs: number; turn: number; files: LiveSegment[] }[] = [];
  for (const { files: all, jobs } of groups) {
    const small = all.filter((segment) => weightOf(segment, limits) < maxWeight);
    for (const [tier, files] of Map.groupBy(small, (segment) => tierOf(segment, limits))) {
      if (files.length < limits.fanout || !isWorthIt(files)) continue;
      // Low tiers first, but one that is never empty does not keep the others waiting: they grow.
      piles.push({ jobs, turn: tier - Math.log2(files.length / limits.fanout), files });
    }
  }
  for (const { files } of piles.toSorted((a, b) => a.jobs - b.jobs || a.turn - b.turn)) {
    // Neighbours in time of arrival are most often neighbours in time of event.
    const job = takeUpTo(
      files.toSorted((a, b) => a.liveFrom - b.liveFrom),
      jobWeight,
      limits,
    );
    if (job !== null) return job;
  }
  return null;
}

function planLarge(groups: readonly Group[], limits: CompactionLimits): LiveSegment[] | null {
  const deep: { jobs: number; depth: number; over: LiveSegment[] }[] = [];
  for (const { files, jobs } of groups) {
    // Days are not split: a large file of one day is final.
    const large = files.filter((segment) => weightOf(segment, limits) >= largeWeight(limits) && daysOf(segment) > 1);
    const { day, depth } = deepestDay(large);
    if (depth <= OVERLAP_MAX) continue;
    deep.push({ jobs, depth, over: large.filter(({ minMs, maxMs }) => dayOf(minMs) <= day && day <= dayOf(maxMs)) });
  }
  for (const { over } of deep.toSorted((a, b) => a.jobs - b.jobs || b.depth - a.depth)) {
    const job = takeUpTo(
      over.toSorted((a, b) => daysOf(b) - daysOf(a)),
      limits.jobMaxBytes,
      limits,
    );
    if (job !== null) return job;
  }
  return null;
}

/** Neighbours that fit into a job, the first ones where that is possible; null when nothing can be merged. */
function takeUpTo(segments: LiveSegment[], maxWeight: number, limits: CompactionLimits): LiveSegment[] | null {
  for (let start = 0; start + 1 < segments.length; start++) {
    let end = start + 1;
    while (end < segments.length && isWithinJob(segments.slice(start, end + 1), maxWeight, limits)) end++;
    if (end - start >= 2) return segments.slice(start, end);
  }
  return null;
}

/** A file that jobs have failed of comes into smaller ones, a quarter as large each time. */
function isWithinJob(segments: readonly LiveSegment[], maxWeight: number, limits: CompactionLimits): boolean {
  const share = 4 ** Math.max(...segments.map(({ failures }) => failures));
  const weight = segments.reduce((sum, segment) => sum + weightOf(segment, limits), 0);
  return segments.length <= Math.max(2, JOB_MAX_FILES / share) && weight <= maxWeight / share;
}

const daysOf = ({ minMs, maxMs }: LiveSegment): number => dayOf(maxMs) - dayOf(minMs) + 1;

/** The UTC day that most segments cover. */
function deepestDay(segments: LiveSegment[]): { day: number; depth: number } {
  const steps = segments.flatMap((segment) => [
    { day: dayOf(segment.minMs), step: 1 },
    { day: dayOf(segment.maxMs) + 1, step: -1 },
  ]);
  steps.sort((a, b) => a.day - b.day || a.step - b.step);
  let best = { day: 0, depth: 0 };
  let depth = 0;
  for (const { day, step } of steps) {
    depth += step;
    if (depth > best.depth) best = { day, depth };
  }
  return best;
}
