import { readFile } from "node:fs/promises";
import { describeError } from "../../types/mod.ts";
import type { LiveSegment } from "../catalog/types.ts";
import { type Reader, readTeams } from "../compaction/facts.ts";
import { sqlString } from "../duckdb.ts";
import { KeyFile } from "../duplicates/keyFile.ts";
import { activityPath, keysPath, listSegmentFiles, measureFiles, rowsPath } from "../files.ts";
import { type VerifyOptions, withReader } from "./options.ts";

/** How the files of a segment differ from what the catalog says of them. */
export interface FileProblem {
  id: string;
  /**
   * `missing`, `unreadable`; `changed`: other bytes than were committed; `rows`, `keys`, `columns`: other than the catalog says;
   * `activity`: of other events than the rows; `stray`: no segment of the catalog.
   */
  problem: "missing" | "unreadable" | "changed" | "rows" | "keys" | "columns" | "activity" | "stray";
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
  const { sizeBytes, checksum } = await measureFiles(directory, segment);
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
  if (segment.kind !== "events") return null;
  return (await keysProblem(segment, directory)) ?? (await activityProblem(segment, directory, reader));
}

/** By event and number, and over all events, persons must have as many as there are rows. */
async function activityProblem(segment: LiveSegment, directory: string, reader: Reader): Promise<Problem | null> {
  if (segment.activityZone === null) return null;
  const table = (path: string) => `read_parquet(${sqlString(path)})`;
  const [[differing] = []] = await reader.run(
    `select count(*) from (
       select event, person_number, sum(events) as n from ${table(activityPath(directory, segment.id))} group by all) a
     full join (
       select event, person_number, count(*) as n from ${table(rowsPath(directory, segment.id))}
       group by grouping sets ((event, person_number), (person_number))) e
     on e.event is not distinct from a.event and e.person_number = a.person_number
     where e.n is distinct from a.n`,
  );
  return differing === 0n ? null : { problem: "activity", detail: `${differing} counts are not those of the rows` };
}

/** Events whose uuid the server made have no key, so that there may be fewer keys than rows. */
async function keysProblem({ id, teams }: LiveSegment, directory: string): Promise<Problem | null> {
  const keys = new KeyFile(await readFile(keysPath(directory, id)));
  const rowsOf = new Map(teams.map(({ teamId, rowCount }) => [teamId, rowCount]));
  for (const group of keys.groups()) rowsOf.set(group.teamId, (rowsOf.get(group.teamId) ?? 0) - group.keys.length);
  const tooMany = [...rowsOf].find(([, rest]) => rest < 0);
  return tooMany === undefined ? null : { problem: "keys", detail: `more keys than rows of project ${tooMany[0]}` };
}
