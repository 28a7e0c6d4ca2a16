import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { VERSION_SOURCE } from "../../types/mod.ts";
import type { RecordedErasure } from "../catalog/erasures.ts";
import type { SegmentKind } from "../catalog/types.ts";
import type { Reader } from "../compaction/facts.ts";
import { sqlString } from "../duckdb.ts";
import { KeyFile } from "../duplicates/keyFile.ts";
import { checkPersonId, sqlList } from "../erasures.ts";
import { exists, listFiles, segmentIdOf } from "../files.ts";
import { CLASS } from "../people/logColumns.ts";
import { type VerifyOptions, withReader } from "./options.ts";

/** Something that was deleted and is there. */
export interface Leftover {
  teamId: number;
  /** Name of a file of the lake, or of a table of the record store. */
  place: string;
  rows: number;
}

export interface ErasedReport {
  /** Deletions of projects and of persons; of `waiting` ones something may be left. */
  projects: number;
  persons: number;
  waiting: number;
  filesRead: number;
  /** Files that are neither being written nor can be read. */
  unreadable: string[];
  leftovers: Leftover[];
}

/** A segment that the catalog does not know was freed of nothing. */
const NEVER = -1;

/**
 * Looks for what was deleted in every file of the folder, whether it is live or not, and in the tables. Rows of a person that
 * has come back are told apart by when they were accepted; of its profile, what a migration says again cannot be, and is
 * not counted in files that were rewritten.
 */
export function verifyErased(options: VerifyOptions): Promise<ErasedReport> {
  return withReader(options, (reader) => lookFor(options, reader));
}

async function lookFor({ catalog, directory }: VerifyOptions, reader: Reader): Promise<ErasedReport> {
  const erasures = await catalog.recordedErasures();
  const names = await listFiles(directory);
  const known = await catalog.knownSegments();
  const gone = erasures.filter(({ personIds }) => personIds === null);
  const report: ErasedReport = {
    projects: new Set(gone.map(({ teamId }) => teamId)).size,
    persons: erasures.length - gone.length,
    waiting: erasures.filter(({ erasedAtMs }) => erasedAtMs === null).length,
    filesRead: 0,
    unreadable: [],
    leftovers: (await catalog.leftInTables()).map(({ table, ...rest }) => ({ place: table, ...rest })),
  };
  if (erasures.length === 0) return report;
  for (const name of names) {
    const segment = known.get(segmentIdOf(name));
    if (segment?.state === "pending") continue;
    const path = join(directory, name);
    try {
      const found = await leftIn(reader, path, { erasures, erasedThrough: segment?.erasedThrough ?? NEVER });
      report.filesRead++;
      report.leftovers.push(...found.map((left) => ({ place: name, ...left })));
    } catch {
      // One that was removed meanwhile holds nothing.
      if (await exists(path)) report.unreadable.push(name);
    }
  }
  return report;
}

interface Told {
  erasures: readonly RecordedErasure[];
  erasedThrough: number;
}

type Found = Omit<Leftover, "place">[];

/** Throws for what is neither rows nor keys. */
async function leftIn(reader: Reader, path: string, told: Told): Promise<Found> {
  const projects = new Set(told.erasures.flatMap((e) => (e.personIds === null ? [e.teamId] : [])));
  if (path.endsWith(".keys")) {
    const groups = [...new KeyFile(await readFile(path)).groups()].filter(({ teamId }) => projects.has(teamId));
    return groups.map(({ teamId, keys }) => ({ teamId, rows: keys.length }));
  }
  if (!path.endsWith(".parquet")) throw new Error("not a file of rows");
  const columns = await reader.run(`select name from parquet_schema(${sqlString(path)})`);
  const names = new Set(columns.map(([name]) => name));
  const kind = kindOf(names);
  const conditions = [...ofProjects(projects), ...ofPersons(told, kind)];
  if (conditions.length === 0) return [];
  const rows = await reader.run(
    `select team_id, count(*) from read_parquet(${sqlString(path)}) r where ${conditions.join(" or ")}
     group by team_id order by team_id`,
  );
  return rows.map(([teamId, count]) => ({ teamId: Number(teamId), rows: Number(count) }));
}

type Kind = SegmentKind | "activity";

/** Told by its columns: what lies in the folder may be no segment. */
function kindOf(columns: ReadonlySet<unknown>): Kind {
  if (columns.has("class")) return "log";
  if (columns.has("number")) return "roster";
  return columns.has("person_id") ? "events" : "activity";
}

function ofProjects(projects: ReadonlySet<number>): string[] {
  return projects.size === 0 ? [] : [`r.team_id in (select unnest(${sqlList([...projects], "bigint")}))`];
}

/** Whether a row is of a person and from before it was deleted. */
function ofPersons({ erasures, erasedThrough }: Told, kind: Kind): string[] {
  // It has numbers only: who they are stands in the roster.
  if (kind === "activity") return [];
  const persons = erasures
    .filter(({ withEvents }) => kind === "log" || withEvents)
    .flatMap((erasure) => (erasure.personIds ?? []).map((personId) => ({ ...erasure, personId })));
  if (persons.length === 0) return [];
  const column = (name: string, type: string, value: (person: (typeof persons)[number]) => string | number | boolean) =>
    `unnest(${sqlList(persons.map(value), type)}) as ${name}`;
  const columns = [
    column("person_id", "uuid", ({ personId }) => checkPersonId(personId)),
    column("is_pending", "boolean", ({ version }) => version > erasedThrough),
    column("with_events", "boolean", ({ withEvents }) => withEvents),
    column("requested_at_ms", "bigint", ({ requestedAtMs }) => requestedAtMs),
  ];
  const isBefore: Record<SegmentKind, string> = {
    events: "epoch_ms(r.created_at) <= e.requested_at_ms",
    log: `(r.source <> ${VERSION_SOURCE.history} and r.t_ms <= e.requested_at_ms)`,
    // It tells no times. Once it was rewritten, only who has come back is in it.
    roster: "false",
  };
  const isMeant = kind === "log" ? `(e.with_events or r.class = ${CLASS.person})` : "true";
  return [
    `exists (from (select ${columns.join(", ")}) e
      where e.person_id = r.person_id and ${isMeant} and (e.is_pending or ${isBefore[kind]}))`,
  ];
}
