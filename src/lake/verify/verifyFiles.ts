import { readFile } from "node:fs/promises";
import { describeError } from "../../types/mod.ts";
import type { LiveSegment } from "../catalog/types.ts";
import { type Reader, readTeams } from "../compaction/facts.ts";
import { sqlString } from "../duckdb.ts";
import { KeyFile } from "../duplicates/keyFile.ts";
import { keysPath, listSegmentFiles, measureFiles, rowsPath } from "../files.ts";
import { type VerifyOptions, withReader } from "./options.ts";

/** How the files of a segment differ from what the catalog says of them. */
export interface FileProblem {
  id: string;
  /**
   * `missing`, `unreadable`; `changed`: other bytes than were committed; `rows`, `keys`, `columns`: other than the catalog says;
   * `stray`: no segment of the catalog.
   */
  problem: "missing" | "unreadable" | "changed" | "rows" | "keys" | "columns" | "stray";
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

/** Longer than reading any lake; the pin goes with the check. */
const HOLD_FILES_MS = 24 * 3_600_000;

/** Reads every live file and compares it with the catalog. Files that compaction replaces meanwhile are kept until the end. */
export function verifyFiles(options: VerifyOptions): Promise<FilesReport> {
  return withReader(options, (reader) => readAll(options, reader));
}

async function readAll({ catalog, directory }: VerifyOptions, reader: Reader): Promise<FilesReport> {
  const pinId = await catalog.holdFiles(HOLD_FILES_MS);
  try {
    // The folder first: a segment is registered before it is written.
    const files = await listSegmentFiles(directory);
    const known = await catalog.knownSegments();
    const { added: live } = await catalog.segmentChanges(0);
    const report: FilesReport = { segments: live.length, rows: 0, sizeBytes: 0, withoutChecksum: 0, problems: [] };
    for (const segment of live) {
      report.rows += segment.rowCount;
      report.sizeBytes += segment.sizeBytes;
      if (segment.checksum === "") report.withoutChecksum++;
      const problem = await problemOf(segment, directory, reader);
      if (problem !== null) report.problems.push({ id: segment.id, ...problem });
    }
    for (const id of files.keys()) {
      if (!known.has(id)) report.problems.push({ id, problem: "stray", detail: "the catalog does not know it" });
    }
    return report;
  } finally {
    await catalog.unpin(pinId);
  }
}

type Problem = Omit<FileProblem, "id">;

/** The first that is found. */
async function problemOf(segment: LiveSegment, directory: string, reader: Reader): Promise<Problem | null> {
  try {
    return (await bytesProblem(segment, directory)) ?? (await contentProblem(segment, directory, reader));
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { problem: isMissing ? "missing" : "unreadable", detail: describeError(error) };
  }
}

async function bytesProblem(segment: LiveSegment, directory: string): Promise<Problem | null> {
  const { sizeBytes, checksum } = await measureFiles(directory, segment.id, segment.kind);
  const differs = (what: string, found: string | number, committed: string | number): Problem => {
    return { problem: "changed", detail: `${what} ${found}, committed as ${committed}` };
  };
  if (sizeBytes !== segment.sizeBytes) return differs("bytes", sizeBytes, segment.sizeBytes);
  if (segment.checksum === "" || checksum === segment.checksum) return null;
  return differs("checksum", checksum, segment.checksum);
}

async function contentProblem(segment: LiveSegment, directory: string, reader: Reader): Promise<Problem | null> {
  const path = rowsPath(directory, segment.id);
  const teams = await readTeams(reader, path, segment.kind);
  // By project: rows, and their first and last time.
  if (!Bun.deepEquals(teams, segment.teams)) {
    return { problem: "rows", detail: `${JSON.stringify(teams)}, not ${JSON.stringify(segment.teams)}` };
  }
  const [[columns] = []] = await reader.run(
    `select count(*) from parquet_schema(${sqlString(path)}) where regexp_full_match(name, 'p[0-9]+')`,
  );
  if (Number(columns) !== segment.columns) {
    return { problem: "columns", detail: `${columns} typed columns, not ${segment.columns}` };
  }
  return segment.kind === "events" ? keysProblem(segment, directory) : null;
}

/** Events whose uuid the server made have no key, so that there may be fewer keys than rows. */
async function keysProblem({ id, teams }: LiveSegment, directory: string): Promise<Problem | null> {
  const keys = new KeyFile(await readFile(keysPath(directory, id)));
  const rowsOf = new Map(teams.map(({ teamId, rowCount }) => [teamId, rowCount]));
  for (const group of keys.groups()) rowsOf.set(group.teamId, (rowsOf.get(group.teamId) ?? 0) - group.keys.length);
  const tooMany = [...rowsOf].find(([, rest]) => rest < 0);
  return tooMany === undefined ? null : { problem: "keys", detail: `more keys than rows of project ${tooMany[0]}` };
}
