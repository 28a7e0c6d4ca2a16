import { describeError, RetryableError } from "../../types/mod.ts";
import type { LiveSegment } from "../catalog/mod.ts";
import { KeyFile } from "../duplicates/mod.ts";
import { type Scanner, sqlString } from "../engine/mod.ts";
import { journeyProblem } from "../journeys/mod.ts";
import { personKey } from "../people/mod.ts";
import { readTeams } from "../reading/mod.ts";
import { filesOf, measureFiles, SegmentMissing, type SegmentStore, tableOf } from "../storage/mod.ts";

/** How the files of a segment differ from the catalog. */
export interface SegmentProblem {
  /**
   * `missing`, `unreadable`; `changed`: other bytes than were committed; `rows`, `keys`, `columns`: other than in the catalog;
   * `activity`, `journey`, `persons`: the daily rollup, the journey, or the copy in order of person is of other events than the rows.
   */
  problem: "missing" | "unreadable" | "changed" | "rows" | "keys" | "columns" | "activity" | "journey" | "persons";
  detail: string;
}

interface Means {
  storage: SegmentStore;
  reader: Scanner;
}

/** Reads all of a segment; gives the first problem that is found. Throws RetryableErrors of a store that does not answer. */
export async function segmentProblem(segment: LiveSegment, means: Means): Promise<SegmentProblem | null> {
  const { storage } = means;
  const locations = filesOf(segment).map((file) => storage.locate(file));
  try {
    return await storage.hold(
      locations,
      async () => (await bytesProblem(segment, storage)) ?? (await contentProblem(segment, means)),
    );
  } catch (error) {
    if (error instanceof RetryableError && !(error instanceof SegmentMissing)) throw error;
    return { problem: error instanceof SegmentMissing ? "missing" : "unreadable", detail: describeError(error) };
  }
}

async function bytesProblem(segment: LiveSegment, storage: SegmentStore): Promise<SegmentProblem | null> {
  const { sizeBytes, checksum } = await measureFiles(storage, segment);
  const differs = (what: string, found: string | number, committed: string | number): SegmentProblem => {
    return { problem: "changed", detail: `${what} ${found}, committed as ${committed}` };
  };
  if (sizeBytes !== segment.sizeBytes) return differs("bytes", sizeBytes, segment.sizeBytes);
  if (segment.checksum === "" || checksum === segment.checksum) return null;
  return differs("checksum", checksum, segment.checksum);
}

async function contentProblem(segment: LiveSegment, means: Means): Promise<SegmentProblem | null> {
  const { storage, reader } = means;
  const path = storage.locate({ id: segment.id, part: "rows" });
  // Of one without a checksum only the size is known, so every value is read.
  if (segment.checksum === "") await reader.run(`select bit_xor(hash(r)) from read_parquet(${sqlString(path)}) r`);
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
  return (
    (await keysProblem(segment, storage)) ??
    (await rollupProblem(segment, means)) ??
    (await journeyDiffers(segment, means)) ??
    (await personRowsProblem(segment, means))
  );
}

/** By event and number, and over all events, persons must have as many as there are rows. */
async function rollupProblem(segment: LiveSegment, { storage, reader }: Means): Promise<SegmentProblem | null> {
  if (segment.rollupZone === null) return null;
  const [[differing] = []] = await reader.run(
    `select count(*) from (
       select event, person_number, sum(events) as n from ${tableOf(storage, [segment], { part: "rollup" })} group by all) a
     full join (
       select event, person_number, count(*) as n from ${tableOf(storage, [segment])}
       group by grouping sets ((event, person_number), (person_number))) e
     on e.event is not distinct from a.event and e.person_number = a.person_number
     where e.n is distinct from a.n`,
  );
  return differing === 0n ? null : { problem: "activity", detail: `${differing} counts are not those of the rows` };
}

/** Row by row. */
async function journeyDiffers(segment: LiveSegment, { storage, reader }: Means): Promise<SegmentProblem | null> {
  if (!segment.hasJourney) return null;
  const locate = (part: "rows" | "journey") => storage.locate({ id: segment.id, part });
  const detail = await journeyProblem(reader, locate("rows"), await storage.read(locate("journey")));
  return detail === null ? null : { problem: "journey", detail };
}

/** The same rows, as often, each with the key of its person. */
async function personRowsProblem(segment: LiveSegment, { storage, reader }: Means): Promise<SegmentProblem | null> {
  if (!segment.hasPersonRows) return null;
  const copy = tableOf(storage, [segment], { part: "personRows" });
  const [[differing] = []] = await reader.run(
    `select count(*) from (
       select hash(r) as row, count(*) as n from ${tableOf(storage, [segment])} r group by 1) r
     full join (
       select hash(c) as row, count(*) as n from (select * exclude (person_key) from ${copy}) c group by 1) c
     on c.row = r.row where c.n is distinct from r.n`,
  );
  if (differing !== 0n) return { problem: "persons", detail: `${differing} rows are not those of the segment` };
  const [[misplaced] = []] = await reader.run(
    `select count(*) from ${copy} where person_key is distinct from ${personKey("person_id")}`,
  );
  return misplaced === 0n ? null : { problem: "persons", detail: `${misplaced} rows have the key of another person` };
}

/** Events whose uuid the server made have no key, so that there may be fewer keys than rows. */
async function keysProblem({ id, teams }: LiveSegment, storage: SegmentStore): Promise<SegmentProblem | null> {
  const keys = new KeyFile(await storage.read(storage.locate({ id, part: "keys" })));
  const rowsOf = new Map(teams.map(({ teamId, rowCount }) => [teamId, rowCount]));
  for (const group of keys.groups()) rowsOf.set(group.teamId, (rowsOf.get(group.teamId) ?? 0) - group.keys.length);
  const tooMany = [...rowsOf].find(([, rest]) => rest < 0);
  return tooMany === undefined ? null : { problem: "keys", detail: `more keys than rows of project ${tooMany[0]}` };
}
