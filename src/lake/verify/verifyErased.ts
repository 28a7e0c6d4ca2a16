import { concernsEvents, type RecordedErasure, type SegmentKind } from "../catalog/mod.ts";
import { KeyFile } from "../duplicates/mod.ts";
import { sqlString } from "../engine/mod.ts";
import { journeyProject, openJourney } from "../journeys/mod.ts";
import type { Reader } from "../reading/mod.ts";
import { locationsOf, type SegmentStore, type StoredFile, tableOf } from "../storage/mod.ts";
import { typedColumnsIn } from "../typed/mod.ts";
import { ofGroups, ofImports, ofNumbers, ofPersons, ofProjects, personsOf, type Told } from "./erasedConditions.ts";
import { holdingFiles, type VerifyOptions, withReader } from "./options.ts";
import { returnedPersons } from "./returned.ts";

/** Deleted rows that are still there. */
interface Leftover {
  teamId: number;
  /** Name of a file of the lake, or of a table of the record store. */
  place: string;
  rows: number;
}

export interface ErasedReport {
  /** Deletions of projects, of persons, of groups, and of what imports brought; of `waiting` ones something may be left. */
  projects: number;
  persons: number;
  groups: number;
  imports: number;
  waiting: number;
  /** Deleted persons that came back and have rows in tables without times: their old rows cannot be recognized. */
  returned: number;
  filesRead: number;
  /** Files that are neither being written nor can be read. */
  unreadable: string[];
  leftovers: Leftover[];
}

/** A segment that the catalog does not know was freed of nothing. */
const NEVER = -1;

/**
 * Looks for deleted rows in every file of the store, live or not, and in the tables. Rows of a person or a group that
 * has come back are told apart by when they were accepted; of its properties, what a migration says again cannot be, and is
 * not counted in files that were rewritten.
 */
export function verifyErased(options: VerifyOptions): Promise<ErasedReport> {
  return withReader(options, (reader) => lookFor(options, reader));
}

async function lookFor(options: VerifyOptions, reader: Reader): Promise<ErasedReport> {
  const { catalog, storage } = options;
  const erasures = await catalog.recordedErasures();
  const files = await storage.list();
  const known = await catalog.knownSegments();
  const of = (wanted: RecordedErasure["kind"]) => erasures.filter(({ kind }) => kind === wanted);
  const report: ErasedReport = {
    projects: new Set(of("project").map(({ teamId }) => teamId)).size,
    persons: of("person").length,
    groups: of("group").length,
    imports: of("import").length,
    waiting: erasures.filter(({ erasedAtMs }) => erasedAtMs === null).length,
    returned: 0,
    filesRead: 0,
    unreadable: [],
    leftovers: [],
  };
  if (erasures.length === 0) return report;
  await lookInTables(options, { reader, erasures, report });
  const nobodys = await holdingFiles(options, () => nobodysNumbers(options, reader, erasures));
  for (const file of files) {
    options.signal?.throwIfAborted();
    const segment = known.get(file.id);
    if (segment?.state === "pending") continue;
    try {
      const told = { erasures, erasedThrough: segment?.erasedThrough ?? NEVER, nobodys };
      const found = await storage.hold([file.location], () => leftIn({ reader, storage }, file, told));
      report.filesRead++;
      report.leftovers.push(...found.map((left) => ({ place: file.name, ...left })));
    } catch {
      // One that was removed meanwhile holds nothing.
      if (await storage.has(file.location)) report.unreadable.push(file.name);
    }
  }
  return report;
}

/** Rows of tables without times count unless their person has come back. */
async function lookInTables(
  options: VerifyOptions,
  { reader, erasures, report }: { reader: Reader; erasures: readonly RecordedErasure[]; report: ErasedReport },
): Promise<void> {
  const { catalog, storage } = options;
  // In order of version, so that of a person deleted twice the last deletion counts.
  const persons = new Map(
    erasures
      .filter(concernsEvents)
      .flatMap((erasure) => personsOf(erasure).map((person) => [person.personId, person] as const)),
  );
  const rows = await catalog.rowsOfPersons([...persons.values()]);
  const suspects = [...new Set(rows.map(({ personId }) => personId))].flatMap(
    (personId) => persons.get(personId) ?? [],
  );
  const returned = await holdingFiles(options, () => returnedPersons({ catalog, storage, reader }, suspects));
  report.returned = returned.size;
  const left = new Map<string, Leftover>();
  const old = rows.filter(({ personId }) => !returned.has(personId));
  for (const { table, teamId, rows } of [...(await catalog.leftInTables([...persons.values()])), ...old]) {
    const name = `${table}/${teamId}`;
    left.set(name, { place: table, teamId, rows: (left.get(name)?.rows ?? 0) + rows });
  }
  report.leftovers.push(...left.values());
}

/** Numbers of deleted persons, by project that has a roster. Numbers without a person are never given again. */
async function nobodysNumbers(
  { catalog, storage }: VerifyOptions,
  reader: Reader,
  erasures: readonly RecordedErasure[],
): Promise<Map<number, number[]>> {
  const numbers = new Map<number, number[]>();
  const { added: live } = await catalog.segmentChanges(0);
  for (const roster of live.filter(({ kind }) => kind === "roster")) {
    const isErased = ["r.person_id is null", ...ofPersons({ erasures, erasedThrough: roster.erasedThrough }, "roster")];
    const text = `select r.number from ${tableOf(storage, [roster])} r where ${isErased.join(" or ")}`;
    const rows = await storage.hold(locationsOf(storage, [roster]), () => reader.run(text));
    if (roster.teamId === null) continue;
    numbers.set(
      roster.teamId,
      rows.map(([number]) => Number(number)),
    );
  }
  return numbers;
}

type Found = Omit<Leftover, "place">[];

/** Throws for files that are none of a segment. */
async function leftIn(
  { reader, storage }: { reader: Reader; storage: SegmentStore },
  { name, location }: StoredFile,
  told: Told & { nobodys: ReadonlyMap<number, number[]> },
): Promise<Found> {
  const projects = new Set(told.erasures.flatMap((e) => (e.kind === "project" ? [e.teamId] : [])));
  if (name.endsWith(".keys")) {
    const groups = [...new KeyFile(await storage.read(location)).groups()].filter(({ teamId }) => projects.has(teamId));
    return groups.map(({ teamId, keys }) => ({ teamId, rows: keys.length }));
  }
  if (name.endsWith(".journey")) return leftInJourney(await storage.read(location), projects, told.nobodys);
  if (!name.endsWith(".parquet")) throw new Error("not a file of rows");
  const columns = await reader.run(`select name from parquet_schema(${sqlString(location)})`);
  const names = new Set(columns.map(([name]) => String(name)));
  const kind = kindOf(names);
  const persons = kind === "activity" ? ofNumbers(told.nobodys) : ofPersons(told, kind);
  const imports = kind === "events" ? ofImports(told, typedColumnsIn(names)) : [];
  const groups = kind === "log" ? ofGroups(told) : [];
  const conditions = [...ofProjects(projects), ...persons, ...imports, ...groups];
  if (conditions.length === 0) return [];
  const rows = await reader.run(
    `select team_id, count(*) from read_parquet(${sqlString(location)}) r where ${conditions.join(" or ")}
     group by team_id order by team_id`,
  );
  return rows.map(([teamId, count]) => ({ teamId: Number(teamId), rows: Number(count) }));
}

/** A journey has numbers of persons only. */
function leftInJourney(
  bytes: Uint8Array,
  projects: ReadonlySet<number>,
  nobodys: ReadonlyMap<number, number[]>,
): Found {
  const teamId = journeyProject(bytes);
  const { rowCount, persons, starts } = openJourney(bytes);
  if (projects.has(teamId)) return [{ teamId, rows: rowCount }];
  const gone = new Set(nobodys.get(teamId));
  const rows = persons.reduce((sum, person, i) => sum + (gone.has(person) ? starts[i + 1]! - starts[i]! : 0), 0);
  return rows === 0 ? [] : [{ teamId, rows }];
}

/** Told by its columns: what lies in the folder may be no segment. */
function kindOf(columns: ReadonlySet<unknown>): SegmentKind | "activity" {
  if (columns.has("class")) return "log";
  if (columns.has("number")) return "roster";
  return columns.has("person_id") ? "events" : "activity";
}
