import type { Scanner } from "../engine/mod.ts";
import { belongs } from "../storage/mod.ts";
import { holdingFiles, type VerifyOptions, withReader } from "./options.ts";
import { type SegmentProblem, segmentProblem } from "./segmentProblem.ts";

/** A segment that differs from the catalog, or a file that belongs to none (`stray`). */
export interface FileProblem {
  /** Of the segment; of a stray its name. */
  id: string;
  problem: SegmentProblem["problem"] | "stray";
  detail: string;
}

export interface FilesReport {
  segments: number;
  rows: number;
  sizeBytes: number;
  /** Written before there were checksums: only their size was compared. */
  withoutChecksum: number;
  problems: FileProblem[];
}

/** Reads every live file and compares it with the catalog. Files that compaction replaces meanwhile are kept until the end. */
export function verifyFiles(options: VerifyOptions): Promise<FilesReport> {
  return withReader(options, (reader) => holdingFiles(options, (signal) => readAll(options, reader, signal)));
}

async function readAll(
  { catalog, storage }: VerifyOptions,
  reader: Scanner,
  signal: AbortSignal,
): Promise<FilesReport> {
  // The files first: a segment is registered before it is written.
  const files = await storage.list();
  const known = await catalog.knownSegments();
  const { added: live } = await catalog.segmentChanges(0);
  const report: FilesReport = { segments: live.length, rows: 0, sizeBytes: 0, withoutChecksum: 0, problems: [] };
  for (const segment of live) {
    signal.throwIfAborted();
    report.rows += segment.rowCount;
    report.sizeBytes += segment.sizeBytes;
    if (segment.checksum === "") report.withoutChecksum++;
    const problem = await segmentProblem(segment, { storage, reader });
    if (problem !== null) report.problems.push({ id: segment.id, ...problem });
  }
  for (const file of files) {
    const segment = known.get(file.id);
    if (segment !== undefined && belongs(segment, file)) continue;
    // Not what a segment had while it was written.
    if (!(await storage.has(file.location))) continue;
    const detail = segment === undefined ? "the catalog does not know it" : "its segment has no such file";
    report.problems.push({ id: file.name, problem: "stray", detail });
  }
  return report;
}
