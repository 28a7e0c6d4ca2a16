import type { Config } from "../../config.ts";
import {
  type ErasedReport,
  type FilesReport,
  type LakeOverview,
  openCatalog,
  verifyErased,
  verifyFiles,
} from "../../lake/mod.ts";
import { readArguments, table, usageError } from "../../manage/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { openExistingRecords, paths } from "../paths.ts";
import { pinOrUnpin } from "./lakePins.ts";

const USAGE = `usage: weir lake [--json]
       weir lake verify [--erased] [--json]
       weir lake pin PROJECT KEY [VARCHAR|BOOLEAN|BIGINT|DOUBLE]
       weir lake unpin PROJECT KEY

  (nothing)  files, sizes and columns, by project
  verify     reads every live file and compares it with the catalog; --erased looks in every file and in the
             tables of data for what was deleted. Ends with 1 when something is found
  pin        the property gets a column of its own, of the type that most values have unless one is named; PROJECT is
             the id of an environment. unpin takes the wish back; a column that is there stays`;

/** `weir lake`. Throws TerminalError `invalid_arguments` with the usage. */
export async function runLake(config: Config, argv: string[]): Promise<number> {
  const options = { json: { type: "boolean" }, erased: { type: "boolean" } } as const;
  const { values, positionals } = readArguments({ args: argv, allowPositionals: true, options }, USAGE);
  const [action, ...rest] = positionals;
  const show = <T>(found: T, text: (found: T) => string) =>
    console.log(values.json ? JSON.stringify(found) : text(found));
  const db = await openExistingRecords(config);
  try {
    const catalog = openCatalog(db);
    if (action === "pin" || action === "unpin") {
      console.log(await pinOrUnpin({ db, catalog, usage: USAGE }, action, rest));
      return 0;
    }
    if (rest.length > 0) throw usageError(`What is "${rest[0]}"?`, USAGE);
    if (action === undefined) {
      show(await catalog.lakeOverview(), overviewText);
      return 0;
    }
    if (action !== "verify") throw usageError(`There is no "${action}".`, USAGE);
    const signal = untilSignal();
    const lake = { catalog, directory: paths(config).lake, memoryLimitBytes: config.compactMemoryBytes, signal };
    if (values.erased) {
      const report = await verifyErased(lake);
      show(report, erasedText);
      return report.leftovers.length + report.unreadable.length === 0 ? 0 : 1;
    }
    const report = await verifyFiles(lake);
    show(report, filesText);
    return report.problems.length === 0 ? 0 : 1;
  } finally {
    await db.close();
  }
}

/** The check ends, so that it holds no files any more, instead of the process. */
function untilSignal(): AbortSignal {
  const controller = new AbortController();
  const end = () => controller.abort(new TerminalError("interrupted", "the check was ended before it was through"));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  return controller.signal;
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const day = (ms: number | null): string => (ms === null ? "-" : new Date(ms).toISOString().slice(0, 10));

/** What an operator is told of files that compaction leaves alone. */
export function asideLines(ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`set aside by compaction, see its log and weir lake verify: ${ids.join(", ")}`];
}

function overviewText({ files, projects, erasuresWaiting, setAside }: LakeOverview): string {
  if (files.length === 0) return "The lake is empty.";
  const byLevel = files.map((file) => ({
    ...{ kind: file.kind, state: file.state, level: String(file.level), files: String(file.count) },
    ...{ rows: String(file.rows), size: mib(file.sizeBytes) },
  }));
  const byProject = projects.map((project) => ({
    project: String(project.teamId),
    files: `${project.files} (${project.sharedFiles} shared)`,
    events: String(project.events),
    from: day(project.minMs),
    to: day(project.maxMs),
    "rows of persons": String(project.logRows),
    size: mib(project.sizeBytes),
    columns: String(project.layout.length),
    "in all columns": project.events === 0 ? "-" : `${Math.floor((100 * project.typedEvents) / project.events)} %`,
  }));
  const layouts = projects
    .filter(({ layout }) => layout.length > 0)
    .map(({ teamId, layout }) => {
      return `columns of project ${teamId}: ${layout.map(({ id, key, type }) => `p${id} ${JSON.stringify(key)} ${type}`).join(", ")}`;
    });
  const pinned = projects
    .filter(({ pinnedWithout }) => pinnedWithout.length > 0)
    .map(({ teamId, pinnedWithout }) => {
      return `pinned without a column, project ${teamId}: ${pinnedWithout.map((key) => JSON.stringify(key)).join(", ")}`;
    });
  const waiting = erasuresWaiting === 0 ? [] : [`deletions that wait to be worked into files: ${erasuresWaiting}`];
  return [
    table(byLevel),
    ...(byProject.length === 0 ? [] : [table(byProject)]),
    ...layouts,
    ...pinned,
    ...waiting,
    ...asideLines(setAside),
  ].join("\n\n");
}

function filesText({ segments, rows, sizeBytes, withoutChecksum, problems }: FilesReport): string {
  const old = withoutChecksum === 0 ? "" : `; ${withoutChecksum} have no checksum yet, of those the size`;
  return [
    ...problems.map(({ id, problem, detail }) => `${id}  ${problem}: ${detail}`),
    `${segments} segments, ${rows} rows, ${mib(sizeBytes)} were read${old}. ${problems.length} problems.`,
  ].join("\n");
}

/** A report as an operator reads it. */
export function erasedText(report: ErasedReport): string {
  const { projects, persons, waiting, returned, filesRead, unreadable, leftovers } = report;
  if (projects + persons === 0) return "Nothing was ever deleted, so there was nothing to look for: no file was read.";
  const isLeft = leftovers.length + unreadable.length > 0;
  return [
    ...leftovers.map(({ place, teamId, rows }) => `${place}  ${rows} rows of project ${teamId}`),
    ...unreadable.map((name) => `${name}  cannot be read`),
    `${projects} projects and ${persons} persons were deleted, ${waiting} of them wait to be worked into files.`,
    ...(returned === 0
      ? []
      : [`${returned} persons have come back: what is old of their rows in tables cannot be told.`]),
    `${filesRead} files and the tables of data were read: ${isLeft ? "there is something left" : "nothing is left"}.`,
    "Messages of actors on their way out are not looked into.",
  ].join("\n");
}
